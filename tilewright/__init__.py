"""Tilewright: systolic matrix engines, from a short configuration to verified Verilog."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # for type checkers it is true; the module `typing` takes longer than all else here

if TYPE_CHECKING:
    from typing import Any

    from tilewright.fpga.host.accelerator import Accelerator as Accelerator
    from tilewright.fpga.host.addition import Addition as Addition
    from tilewright.fpga.host.lookup import Lookup as Lookup
    from tilewright.fpga.host.network import Graph as Graph
    from tilewright.fpga.host.network import GraphBuilder as GraphBuilder
    from tilewright.fpga.host.run_failed import RunFailed as RunFailed
    from tilewright.fpga.host.transport import Transport as Transport
    from tilewright.generators.config.engine import EngineConfig as EngineConfig
    from tilewright.generators.config.engine import engine_config as engine_config
    from tilewright.generators.config.errors import ConfigError as ConfigError
    from tilewright.generators.config.presets import Preset as Preset
    from tilewright.generators.config.presets import preset as preset
    from tilewright.generators.config.presets import presets as presets
    from tilewright.generators.config.systolic import SystolicConfig as SystolicConfig
    from tilewright.generators.config.systolic import systolic_config as systolic_config
    from tilewright.generators.generate import generate as generate
    from tilewright.sim_tests.harness.errors import SimulationFailed as SimulationFailed
    from tilewright.sim_tests.harness.errors import ToolMissing as ToolMissing
    from tilewright.sim_tests.harness.stall import Stall as Stall
    from tilewright.sim_tests.simulate.simulate import Simulation as Simulation
    from tilewright.sim_tests.simulate.simulate import simulate as simulate

    __version__: str

# Loaded on first use: components and the command line import this package too, and should not wait for all of it.
_PUBLIC = {
    "Accelerator": "tilewright.fpga.host.accelerator",
    "Addition": "tilewright.fpga.host.addition",
    "ConfigError": "tilewright.generators.config.errors",
    "EngineConfig": "tilewright.generators.config.engine",
    "Graph": "tilewright.fpga.host.network",
    "GraphBuilder": "tilewright.fpga.host.network",
    "Lookup": "tilewright.fpga.host.lookup",
    "Preset": "tilewright.generators.config.presets",
    "RunFailed": "tilewright.fpga.host.run_failed",
    "Simulation": "tilewright.sim_tests.simulate.simulate",
    "SimulationFailed": "tilewright.sim_tests.harness.errors",
    "Stall": "tilewright.sim_tests.harness.stall",
    "SystolicConfig": "tilewright.generators.config.systolic",
    "ToolMissing": "tilewright.sim_tests.harness.errors",
    "Transport": "tilewright.fpga.host.transport",
    "engine_config": "tilewright.generators.config.engine",
    "generate": "tilewright.generators.generate",
    "preset": "tilewright.generators.config.presets",
    "presets": "tilewright.generators.config.presets",
    "simulate": "tilewright.sim_tests.simulate.simulate",
    "systolic_config": "tilewright.generators.config.systolic",
}
__all__ = [
    "Accelerator",
    "Addition",
    "ConfigError",
    "EngineConfig",
    "Graph",
    "GraphBuilder",
    "Lookup",
    "Preset",
    "RunFailed",
    "Simulation",
    "SimulationFailed",
    "Stall",
    "SystolicConfig",
    "ToolMissing",
    "Transport",
    "__version__",
    "engine_config",
    "generate",
    "preset",
    "presets",
    "simulate",
    "systolic_config",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("tilewright")
    if name not in _PUBLIC:
        raise AttributeError(f"module 'tilewright' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)
