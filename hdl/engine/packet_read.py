"""Matrices from packets to streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.engine.order import TAG_BITS, order_layout
from tilewright.hdl.engine.packet_faults import PacketFault, packet_fault
from tilewright.hdl.engine.packet_rows import PacketRows
from tilewright.hdl.engine.placing import Placing
from tilewright.hdl.engine.port import ValuePort, check_ports
from tilewright.hdl.engine.read_cut import ReadCut
from tilewright.hdl.engine.to_targets import to_targets
from tilewright.hdl.stream import Buffer
from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.structure import Block, named, place

_UNDER_WAY = 32
"""Orders that have come and not ended: fewer than the registers between here and the targets hold rows."""


class PacketRead(Block):
    """Takes a packet for each order (`order_layout`), the matrix to the one of ``targets`` that ``stream`` names.

    A packet has the rows of its matrix one behind the other, each value in its ``container``, and nothing else: see
    `PacketRows`. Beats of targets are those of `ReadMover`, whose ``throughput`` this has: 1 beat of the packet a cycle
    or, of rows that are shorter, 1 row. Latency from a beat of a packet to that of a target: ``latency`` = 4 cycles.

    Members
    -------
    order: stream of orders; packets: stream of beats of ``bus_bytes`` bytes
    <name>: beats of each target
    wants: a packet is wanted from now on, one more for each cycle with it
    idle: no order is under way; waits: a beat of a packet is needed that has not come
    fault, fault_tag: what is wrong with a beat of the packet of the order ``fault_tag``, if anything; its data flow on
    """

    latency = 4
    throughput = 1

    def __init__(self, address_bits: int, bus_bytes: int, targets: Sequence[ValuePort]) -> None:
        self.address_bits, self.bus_bytes = address_bits, bus_bytes
        members: dict[str, Any] = {
            "order": In(stream.Signature(order_layout(address_bits))),
            "packets": In(stream.Signature(beat_layout(bus_bytes, 8))),
            "wants": Out(1),
            "idle": Out(1),
            "waits": Out(1),
            "fault": Out(PacketFault),
            "fault_tag": Out(TAG_BITS),
        }
        self.targets = check_ports("targets", targets, members)
        members |= {target.name: Out(stream.Signature(target.beat)) for target in self.targets}
        labels = "_".join(target.label for target in self.targets)
        super().__init__(f"packet_read_{bus_bytes}_{labels}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        bus = self.bus_bytes
        sizes = [target.bytes for target in self.targets]
        rows = PacketRows(self.address_bits, bus)
        m.submodules.rows = place(platform, rows)
        m.submodules.ahead = place(platform, ahead := Buffer(rows.row))
        m.submodules.beats = place(platform, beats := Buffer(beat_layout(bus, 8)))
        m.submodules.cutter = place(platform, cutter := ReadCut(bus, sizes))
        m.submodules.placing = place(platform, placing := Placing(bus, sizes))
        connect(m, flipped(self.order), rows.i)
        connect(m, rows.o, ahead.i)
        connect(m, flipped(self.packets), beats.i)
        connect(m, cutter.o, placing.i)
        run, row = cutter.run, ahead.o.payload
        m.d.comb += [
            run.valid.eq(ahead.o.valid),
            ahead.o.ready.eq(run.ready),
            *(run.payload[field].eq(row[field]) for field in ("offset", "bytes", "last", "stream", "element", "tag")),
            run.payload.inside.eq(1),
            run.payload.row_end.eq(1),
            run.payload.joins.eq(~row.last),
            cutter.r.valid.eq(beats.o.valid),
            cutter.r.payload.data.eq(beats.o.payload.data),
            cutter.r.payload.last.eq(beats.o.payload.last),
            beats.o.ready.eq(cutter.r.ready),
            self.waits.eq(cutter.awaits),
        ]
        to_targets(m, platform, self, self.targets, bus, placing.o)
        self._check(m, cutter, beats.o)
        self._count(m)
        return m

    def _check(self, m: Module, cutter: ReadCut, beats: Any) -> None:
        """A cycle after a beat has been taken, the cut in which it ends tells how it should have been."""
        taken = Signal()
        beat = Signal(beats.payload.shape(), name="beat_taken", reset_less=True)
        m.d.sync += [taken.eq(beats.valid & beats.ready), beat.eq(beats.payload)]
        cut = cutter.o.payload
        end = named(m, cut.first + cut.count, "end")
        full = Const((1 << self.bus_bytes) - 1, self.bus_bytes)
        masks = [full[:count] for count in range(self.bus_bytes + 1)]
        keep = named(m, Mux(cut.last, Array(masks)[end[: self.bus_bytes.bit_length()]], full), "keep_wanted")
        fault = packet_fault(m, beat, cut.last, keep)
        m.d.comb += [self.fault.eq(Mux(taken, fault, PacketFault.NONE)), self.fault_tag.eq(cutter.error_tag)]

    def _count(self, m: Module) -> None:
        """How many orders are under way."""
        under_way = Signal(range(_UNDER_WAY))
        comes = named(m, self.order.valid & self.order.ready, "comes")
        beats = [getattr(self, target.name) for target in self.targets]
        ends: Value = sum((beat.valid & beat.ready & beat.payload.last for beat in beats), Const(0))
        m.d.sync += under_way.eq(under_way + comes - ends)
        m.d.comb += [self.idle.eq(~under_way.any()), self.wants.eq(comes)]
