"""Builds of engines, and sessions with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.engine import engine_parameters
from tilewright.generators.emit.engine_files import engine_sources
from tilewright.hdl.engine.register_map import ADDRESS_BITS
from tilewright.sim_tests.harness import Build, BuildSpec, make
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness.axi_ports import axi_lite_ports, axi_ports
from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.harness.axis_ports import ROLES, axis_port
from tilewright.sim_tests.harness.ports import make_interface


def engine_spec(config: EngineConfig, sources: Mapping[str, str]) -> BuildSpec:
    """The simulator of an engine whose Verilog is ``sources``, file name to text."""
    if config.streams:
        streams = [axis_port(name, data_bits=config.bus_bits) for name in ROLES]
    else:
        width = {"address_bits": config.address_bits, "data_bits": config.bus_bits}
        streams = [stream for name in engine_parameters(config).memory_ports for stream in axi_ports(name, **width)]
    streams += axi_lite_ports(address_bits=ADDRESS_BITS)
    ports = make_interface(
        config.module_name, streams, clock="aclk", reset="aresetn", reset_active_low=True, outputs=[("irq", 1)]
    )
    return BuildSpec(dict(sources), ports)


@lru_cache(maxsize=16)
def engine_build(config: EngineConfig) -> Build:
    """The compiled simulation of an engine; kept, since its Verilog alone takes seconds to make."""
    return make(engine_spec(config, engine_sources(config)))


def engine_session(
    config: EngineConfig, settings: AxiMemory | None = None, *, memory_bytes: int = 1 << 24, **options: Any
) -> AxiSession:
    """A session with an engine; ``options`` are those of `AxiSession`."""
    return AxiSession(engine_build(config), memory_bytes=memory_bytes, settings=settings, **options)
