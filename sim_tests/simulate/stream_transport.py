"""The simulation of an engine with AXI4-Stream ports as a transport of the host's driver; it plays the DMA."""

from __future__ import annotations

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.reference.engine_packets import Packet, packets
from tilewright.hdl.engine.register_map import BY_NAME
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.harness.axis_dma import AxisDma, DmaSettings, Part
from tilewright.sim_tests.simulate.engine_transport import SimulatedEngine

_CONTROL = BY_NAME["control"].offset
_INSTRUCTION_BYTES = 64


def parts(packet: Packet) -> list[Part]:
    """A packet as the DMA wants it."""
    return [Part(piece.address, piece.size, packet.value_bytes, packet.fill) for piece in packet.pieces]


def dma_settings(memory: AxiMemory) -> DmaSettings:
    """A DMA before ``memory``: its latency, and the stalls of its channels as those of the streams."""
    channels = {"s_axis_program": "ar", "s_axis_load": "r", "m_axis_store": "w"}
    stalls = {stream: memory.stalls[channel] for stream, channel in channels.items() if channel in memory.stalls}
    return DmaSettings(latency=memory.latency, hold=memory.hold_reads, stalls=stalls, seed=memory.seed)


class SimulatedStreamEngine(SimulatedEngine):
    """A `SimulatedEngine` whose memory is that of a DMA.

    A write of 1 to ``control`` starts the DMA, too: it sends the program that ``program_low``, ``program_high`` and
    ``program_count`` tell of, and the packets of its loads, and waits for those of its stores.
    """

    def __init__(self, session: AxiSession, config: EngineConfig, settings: AxiMemory) -> None:
        super().__init__(session)
        self.config, self.dma = config, AxisDma(session, dma_settings(settings))
        self._registers: dict[int, int] = {}

    def configure(self, settings: AxiMemory) -> None:
        """See `dma_settings`."""
        self.dma.configure(dma_settings(settings))

    def write_register(self, offset: int, value: int) -> None:
        """See `Transport`."""
        self._registers[offset] = value
        if offset == _CONTROL and value & 1:
            self._begin()
        super().write_register(offset, value)

    def _register(self, name: str) -> int:
        return self._registers.get(BY_NAME[name].offset, 0)

    def _begin(self) -> None:
        """What is left of a run that has failed will not be wanted any more."""
        address = self._register("program_low") | self._register("program_high") << 32
        size = _INSTRUCTION_BYTES * self._register("program_count")
        found = packets(self.read_memory(address, size), self.config)
        self.dma.forget()
        self.dma.begin()
        if size:
            self.dma.add("s_axis_program", [Part(address, size)])
        for packet in found.loads:
            self.dma.add("s_axis_load", parts(packet), after=packet.after)
        for packet in found.stores:
            self.dma.add("m_axis_store", parts(packet))

    def wait(self) -> None:
        """See `Transport`; all that the engine has sent is in memory then."""
        super().wait()
        self.dma.settle()
