"""The simulation of an engine as a transport of the host's driver."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.sim_tests.drivers.engine_build import engine_session
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness.axi_session import AxiSession

MEMORY = AxiMemory(latency=60, jitter=8, outstanding=64)
"""A memory as it is behind a controller: some 60 cycles away."""
LIMIT = 1 << 40
"""Cycles that a run may take; the engine's watchdog ends one that does not move."""


class SimulatedEngine:
    """A `tilewright.fpga.host.transport.Transport` over a session of the simulation.

    ``started`` and ``ended`` are the cycles of the edges that took the last write to a register before the last
    wait, and that first had the interrupt.
    """

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
        self.ended = self.session.wait_interrupt(LIMIT)

    def close(self) -> None:
        """See `Transport`."""
        self.session.__exit__(None, None, None)


def simulated_engine(
    config: EngineConfig, *, memory_bytes: int = 1 << 28, settings: AxiMemory | None = None, **options: Any
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
