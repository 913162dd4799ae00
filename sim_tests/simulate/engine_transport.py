"""The simulation of an engine as a transport of the host's driver."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from tilewright.fpga.host.checked import positive, whole
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.errors import ConfigError, must_be, unknown
from tilewright.sim_tests.drivers.engine_build import engine_session
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness.axi_session import AxiSession

MEMORY = AxiMemory(latency=60, jitter=8, outstanding=64)
"""A memory as it is behind a controller: some 60 cycles away."""
STEP = 1 << 16
"""Cycles after which a run tells how far it is; the engine's watchdog ends one that does not move."""


class SimulatedEngine:
    """A `tilewright.fpga.host.transport.Transport` over a session of the simulation.

    ``started`` and ``ended`` are the cycles of the edges that took the last write to a register before the last
    wait, and that first had the interrupt. ``told``, if it is set, hears of the cycles of a run.
    """

    told: Callable[[int], None] | None = None

    def __init__(self, session: AxiSession) -> None:
        self.session = session
        self.memory_base = session.plan.base
        self.memory_bytes = len(session.memory)
        self.started = self.ended = 0

    def configure(self, settings: AxiMemory) -> None:
        """Lets the memory behave otherwise from now on."""
        self.session.configure(settings)

    def read_register(self, offset: int) -> int:
        """See `Transport`."""
        return self.session.read(offset)

    def write_register(self, offset: int, value: int) -> None:
        """See `Transport`."""
        self._written = self.session.write(offset, value)

    def read_memory(self, address: int, size: int) -> NDArray[Any]:
        """See `Transport`."""
        start = address - self.memory_base
        return self.session.memory[start : start + size].copy()

    def write_memory(self, address: int, data: NDArray[Any]) -> None:
        """See `Transport`."""
        self.session.load(address, data)

    def wait(self) -> None:
        """See `Transport`."""
        self.started = self._written
        begun = time.monotonic()
        while (ended := self.session.interrupt_within(STEP, begun)) is None:
            if self.told is not None:
                self.told(self.session.cycle - self.started)
        self.ended = ended

    def close(self) -> None:
        """See `Transport`."""
        self.session.__exit__(None, None, None)


_OPTIONS = ("memory_bytes", "seed", "settings", "timeout", "trace")
_PAGE, _MEMORY, _MOST = 1 << 12, 1 << 28, 1 << 32


def checked(config: EngineConfig, options: Mapping[str, Any]) -> dict[str, Any]:
    """``options`` of a user's for `simulated_engine`. Raises ConfigError."""
    found = dict(options)
    for name, value in options.items():
        if name not in _OPTIONS:
            raise ConfigError(unknown("option", name, _OPTIONS))
        if value is None and name != "memory_bytes":
            del found[name]
    reach = min(_MOST, 1 << config.address_bits)
    found["memory_bytes"] = whole("memory_bytes", options.get("memory_bytes", min(_MEMORY, reach)), _PAGE, reach)
    if found["memory_bytes"] % _PAGE:
        nearest = -(-found["memory_bytes"] // _PAGE) * _PAGE
        raise ConfigError(must_be("memory_bytes", f"a multiple of {_PAGE}", found["memory_bytes"], nearest))
    if "seed" in found:
        found["seed"] = whole("seed", found["seed"], 1, (1 << 31) - 1)
    if "timeout" in found:
        found["timeout"] = positive("timeout", found["timeout"])
    if "trace" in found:
        if not isinstance(found["trace"], str | PathLike):
            raise ConfigError(must_be("trace", "the path of a file", found["trace"], "run.vcd"))
        found["trace"] = Path(found["trace"])
    if not isinstance(found.get("settings", MEMORY), AxiMemory):
        raise ConfigError(must_be("settings", "an AxiMemory", found["settings"], "AxiMemory()"))
    return found


def simulated_engine(
    config: EngineConfig, *, memory_bytes: int = _MEMORY, settings: AxiMemory | None = None, **options: Any
) -> SimulatedEngine:
    """An engine in simulation with a memory of ``memory_bytes``; what was never touched costs nothing."""
    session = engine_session(config, settings or MEMORY, memory_bytes=memory_bytes, **options)
    return transport(session, config, settings or MEMORY)


def transport(session: AxiSession, config: EngineConfig, settings: AxiMemory) -> SimulatedEngine:
    """The transport that fits the data ports; ``settings``: of the memory, also of the one behind a DMA."""
    if not config.streams:
        return SimulatedEngine(session)
    from tilewright.sim_tests.simulate.stream_transport import SimulatedStreamEngine  # which is one of these

    return SimulatedStreamEngine(session, config, settings)
