"""Matrices from streams to packets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.axi.write_answers import write_answer_layout
from tilewright.hdl.engine.from_sources import unpack_sources, words_of_cuts
from tilewright.hdl.engine.order import TAG_BITS, order_layout
from tilewright.hdl.engine.packet_rows import PacketRows
from tilewright.hdl.engine.port import ValuePort, check_ports
from tilewright.hdl.engine.write_cut import WriteCut
from tilewright.hdl.stream import Buffer, Queue
from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.structure import Block, named, place

_UNDER_WAY = 8
"""Orders that have come and not ended, at most."""


class PacketWrite(Block):
    """Makes a packet of each order (`order_layout`), from the one of ``sources`` that its ``stream`` names.

    Sources give exactly the matrices that are ordered, in this order, row by row, as those of `WriteMover` do. A packet
    has the rows of its matrix one behind the other, each value in its ``container``, and nothing else. ``throughput``:
    1 beat of the packet a cycle or, of rows that are shorter, 1 row. Latency: ``latency`` = 4 cycles.

    Members
    -------
    order: stream of orders; <name>: beats of each source
    packets: stream of beats of ``bus_bytes`` bytes
    gone: the last beat of a packet has been taken outside
    answer: stream of `write_answer_layout`, in the order of the orders, each when its packet is gone; always OKAY
    idle: every order has been answered
    """

    latency = 4
    throughput = 1

    def __init__(self, address_bits: int, bus_bytes: int, sources: Sequence[ValuePort]) -> None:
        self.address_bits, self.bus_bytes = address_bits, bus_bytes
        members: dict[str, Any] = {
            "order": In(stream.Signature(order_layout(address_bits))),
            "packets": Out(stream.Signature(beat_layout(bus_bytes, 8))),
            "gone": In(1),
            "answer": Out(stream.Signature(write_answer_layout(TAG_BITS))),
            "idle": Out(1),
        }
        self.sources = check_ports("sources", sources, members)
        members |= {source.name: In(stream.Signature(source.beat)) for source in self.sources}
        labels = "_".join(source.label for source in self.sources)
        super().__init__(f"packet_write_{bus_bytes}_{labels}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        bus = self.bus_bytes
        rows = PacketRows(self.address_bits, bus)
        m.submodules.rows = place(platform, rows)
        m.submodules.ahead = place(platform, ahead := Buffer(rows.row))
        m.submodules.tags = place(platform, tags := Queue("tag", TAG_BITS, _UNDER_WAY))
        m.submodules.cutter = place(platform, cutter := WriteCut(bus, len(self.sources)))
        unpack_sources(m, platform, self, self.sources, cutter)
        cuts, words = words_of_cuts(m, platform, bus)
        connect(m, rows.o, ahead.i)
        connect(m, words, flipped(self.packets))
        run, row, cut = cutter.run, ahead.o.payload, cutter.o.payload
        m.d.comb += [
            rows.i.valid.eq(self.order.valid & tags.i.ready),
            rows.i.payload.eq(self.order.payload),
            tags.i.valid.eq(self.order.valid & rows.i.ready),
            tags.i.payload.eq(self.order.payload.tag),
            self.order.ready.eq(rows.i.ready & tags.i.ready),
            run.valid.eq(ahead.o.valid),
            ahead.o.ready.eq(run.ready),
            *(run.payload[field].eq(row[field]) for field in ("offset", "bytes", "stream")),
            run.payload.inside.eq(1),
            run.payload.joins.eq(~row.last),
            cuts.valid.eq(cutter.o.valid),
            cuts.payload.eq(cut),
            cutter.o.ready.eq(cuts.ready),
        ]
        # Rows go on where the ones before end, so nothing but the end of a packet closes a word.
        m.d.comb += cuts.payload.last.eq(cut.close)
        self._answer(m, tags.o)
        return m

    def _answer(self, m: Module, tags: Any) -> None:
        """An answer for each packet that is gone."""
        owed = Signal(range(_UNDER_WAY + 1))
        given = named(m, self.answer.valid & self.answer.ready, "given")
        m.d.sync += owed.eq(owed + self.gone - given)
        m.d.comb += [
            self.answer.valid.eq(owed.any()),
            self.answer.payload.tag.eq(tags.payload),
            tags.ready.eq(given),
            self.idle.eq(~tags.valid),
        ]
