"""The blocks of an engine whose program and matrices come and go in packets, and how they are connected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from amaranth.hdl import Module, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Member, Out, connect, flipped

from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.packet_entry import PacketEntry
from tilewright.hdl.engine.packet_exit import PacketExit
from tilewright.hdl.engine.packet_fetch import PacketFetch
from tilewright.hdl.engine.packet_read import PacketRead
from tilewright.hdl.engine.packet_write import PacketWrite
from tilewright.hdl.engine.parameters import EngineParameters
from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.structure import Block, named

if TYPE_CHECKING:
    from tilewright.hdl.engine.parts import EngineParts


def stream_members(p: EngineParameters) -> dict[str, Member]:
    """The streams of an engine, as members."""
    beats = stream.Signature(beat_layout(p.bus_bits // 8, 8))
    return {"s_axis_program": In(beats), "s_axis_load": In(beats), "m_axis_store": Out(beats)}


class StreamSide:
    """What stands in place of an engine's memory port.

    ``program``, ``loads`` and ``stores`` know where packets begin and end, whatever becomes of a run: only the reset of
    the engine resets them. ``fetch``, ``reads`` and ``writes`` make something of the packets of one run.
    """

    def __init__(self, p: EngineParameters) -> None:
        bus = p.bus_bits // 8
        self.program, self.loads, self.stores = PacketEntry(bus), PacketEntry(bus), PacketExit(bus)
        self.fetch = PacketFetch(bus, p.queue_depth)
        self.reads = PacketRead(p.address_bits, bus, p.targets)
        self.writes = PacketWrite(p.address_bits, bus, p.sources)

    @property
    def lasting(self) -> dict[str, Block]:
        """See `EngineParts`."""
        return {"program_entry": self.program, "load_entry": self.loads, "store_exit": self.stores}

    @property
    def of_a_run(self) -> dict[str, Block]:
        """See `EngineParts`."""
        return {"fetch": self.fetch, "reads": self.reads, "writes": self.writes}

    def connect_ports(self, m: Module, parts: EngineParts, engine: Any) -> None:
        """Between the ports and the blocks of a run.

        When a run fails, a packet that has begun is ended; until the next run starts all others are dropped that come.
        """
        supervisor, registers = parts.supervisor, parts.registers
        connect(m, flipped(engine.s_axis_program), self.program.i)
        connect(m, flipped(engine.s_axis_load), self.loads.i)
        connect(m, self.stores.o, flipped(engine.m_axis_store))
        connect(m, self.program.o, self.fetch.packet)
        connect(m, self.loads.o, self.reads.packets)
        connect(m, self.writes.packets, self.stores.i)
        spill = named(m, (supervisor.fault.cause != Cause.NONE) & ~supervisor.busy, "spill_packets")
        # Who ends a run that has failed already knows that the rest of its packets will not come.
        forget = named(m, registers.start | (registers.give_up & supervisor.stop), "forget_packets")
        m.d.comb += [
            self.program.spill.eq(spill),
            self.loads.spill.eq(spill),
            self.program.want.eq(self.fetch.wants),
            self.program.forget.eq(forget),
            self.loads.want.eq(self.reads.wants),
            self.loads.drop.eq(supervisor.stop),
            self.loads.forget.eq(forget),
            self.stores.cut.eq(supervisor.stop),
            self.writes.gone.eq(self.stores.gone),
        ]

    def connect_program(self, m: Module, parts: EngineParts, ended: Value) -> None:
        """``ended``: an END has come; the rest of its packet is dropped."""
        m.d.comb += [
            self.fetch.start.eq(parts.registers.start),
            self.fetch.count.eq(parts.registers.program_count),
            self.program.drop.eq(ended | parts.supervisor.stop),
        ]

    def supervise(self, m: Module, parts: EngineParts) -> None:
        """What the supervisor sees; of a run that has failed only packets that have begun: no others will come."""
        supervisor: Any = parts.supervisor
        running = supervisor.running
        m.d.comb += [
            supervisor.reading.eq(self.loads.open | self.program.open | (running & ~self.reads.idle)),
            supervisor.writing.eq(self.stores.open | (running & (~self.writes.idle | ~parts.release.idle))),
            supervisor.read_valid.eq(self.reads.fault != 0),
            supervisor.read.cause.eq(Cause.LOAD_PACKET),
            supervisor.read.detail.eq(self.reads.fault),
            supervisor.read.tag.eq(self.reads.fault_tag),
            supervisor.fetching_valid.eq(self.fetch.fault != 0),
            supervisor.fetching.cause.eq(Cause.PROGRAM_PACKET),
            supervisor.fetching.detail.eq(self.fetch.fault),
        ]
