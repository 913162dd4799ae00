"""Tilewright: systolic matrix engines, from a short configuration to verified Verilog."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # for type checkers it is true; the module `typing` takes longer than all else here

if TYPE_CHECKING:
    from typing import Any

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
    "ConfigError": "tilewright.generators.config.errors",
    "Preset": "tilewright.generators.config.presets",
    "Simulation": "tilewright.sim_tests.simulate.simulate",
    "SimulationFailed": "tilewright.sim_tests.harness.errors",
    "Stall": "tilewright.sim_tests.harness.stall",
    "SystolicConfig": "tilewright.generators.config.systolic",
    "ToolMissing": "tilewright.sim_tests.harness.errors",
    "generate": "tilewright.generators.generate",
    "preset": "tilewright.generators.config.presets",
    "presets": "tilewright.generators.config.presets",
    "simulate": "tilewright.sim_tests.simulate.simulate",
    "systolic_config": "tilewright.generators.config.systolic",
}
__all__ = [
    "ConfigError",
    "Preset",
    "Simulation",
    "SimulationFailed",
    "Stall",
    "SystolicConfig",
    "ToolMissing",
    "__version__",
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
