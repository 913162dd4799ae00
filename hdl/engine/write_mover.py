"""Matrices from streams to memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import ceil_log2

from tilewright.hdl.axi.bursts import Bursts
from tilewright.hdl.axi.parameters import check_bus
from tilewright.hdl.axi.signatures import RESPONSE, address_layout, write_layout
from tilewright.hdl.axi.write_answers import WriteAnswers, mark_layout, write_answer_layout
from tilewright.hdl.engine.box_walk import BoxWalk
from tilewright.hdl.engine.from_sources import unpack_sources, words_of_cuts
from tilewright.hdl.engine.joining import Joining
from tilewright.hdl.engine.order import RUN_BYTES_BITS, TAG_BITS, order_layout
from tilewright.hdl.engine.port import ValuePort, check_ports
from tilewright.hdl.engine.write_cut import WriteCut
from tilewright.hdl.stream import Fork, Queue
from tilewright.hdl.structure import Block, named, place


class WriteMover(Block):
    """Writes matrices (`order_layout`) to memory, each from the one of ``sources`` that its ``stream`` names.

    Sources give exactly the matrices that are ordered, in this order, row by row: a beat carries ``values`` codes of a
    row, a row starts on a new beat (only ``keep`` tells how many there are). A code is written in ``container`` bytes,
    low bits first, see `ValuePort` (the order's ``element`` is the binary logarithm of these). Values outside of the
    tensor's picture are taken and not written. Only strobes tell which bytes of a beat are written.

    Addresses go out as soon as they are known, data as soon as they are there, neither waits for the other to be
    taken. ``throughput``: 1 beat of W a cycle, whatever the alignment, as long as the source gives as much.

    Members
    -------
    order: stream of orders
    aw, w, b: the manager's port
    <name>: beats of each source
    answer: stream of `write_answer_layout`, in the order of the orders: all of its responses have come; one with no
        elements is answered too
    idle: every order has been answered
    beat: a beat of W was taken in the cycle before
    waits: an address or a beat was not taken in this cycle, or there is nothing to send and a response to come
    """

    address_latency = 12
    latency = 13
    throughput = 1

    def __init__(
        self, bus_bits: int, address_bits: int, max_burst: int, outstanding: int, sources: Sequence[ValuePort]
    ) -> None:
        check_bus(bus_bits, address_bits, max_burst, outstanding)
        self.bus_bits, self.address_bits = bus_bits, address_bits
        self.max_burst, self.outstanding = max_burst, outstanding
        members: dict[str, Any] = {
            "order": In(stream.Signature(order_layout(address_bits))),
            "aw": Out(stream.Signature(address_layout(address_bits))),
            "w": Out(stream.Signature(write_layout(bus_bits))),
            "b": In(stream.Signature(RESPONSE)),
            "answer": Out(stream.Signature(write_answer_layout(TAG_BITS))),
        }
        members |= {"idle": Out(1), "beat": Out(1), "waits": Out(1)}
        self.sources = check_ports("sources", sources, members)
        members |= {source.name: In(stream.Signature(source.beat)) for source in self.sources}
        labels = "_".join(source.label for source in self.sources)
        super().__init__(f"write_mover_{bus_bits}_{address_bits}_{max_burst}x{outstanding}_{labels}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        bus = self.bus_bits // 8
        depth = max(2, 1 << ceil_log2(self.outstanding))
        cutter = WriteCut(bus, len(self.sources))
        m.submodules.walk = place(platform, walk := BoxWalk(self.address_bits))
        joining = Joining(self.address_bits, bus, self.max_burst * bus)
        m.submodules.joining = place(platform, joining)
        m.submodules.fork = place(platform, fork := Fork(joining.joined, 2))
        m.submodules.runs = place(
            platform, runs := Queue(f"write_runs_{bus}", cutter.run_layout, max(2 * Joining.most_runs, 2 * depth))
        )
        m.submodules.cutter = place(platform, cutter)
        connect(m, flipped(self.order), walk.i)
        connect(m, walk.o, joining.i)
        connect(m, joining.o, fork.i)
        connect(m, runs.o, cutter.run)
        kept = fork.o_1
        m.d.comb += [
            runs.i.valid.eq(kept.valid & kept.payload.bytes.any()),
            kept.ready.eq(runs.i.ready | ~kept.payload.bytes.any()),
        ]
        for field in cutter.run_layout.members:
            m.d.comb += runs.i.payload[field].eq(kept.payload[field])
        lengths, marks = self._ask(m, platform, fork.o_0, depth)
        self._send(m, platform, cutter, lengths)
        self._report(m, named(m, marks.valid & ~marks.payload.none & ~lengths.valid, "awaits_response"))
        return m

    def _ask(self, m: Module, platform: Any, asked: Any, depth: int) -> tuple[Any, Any]:
        """Sends addresses and collects responses; gives streams of the lengths of bursts, and of what to answer."""
        side = data.StructLayout({"tag": TAG_BITS, "last": 1})
        bursts = Bursts(
            self.address_bits,
            self.bus_bits,
            self.max_burst,
            self.outstanding,
            bytes_bits=RUN_BYTES_BITS,
            side=side,
        )
        m.submodules.bursts = place(platform, bursts)
        m.submodules.ways = place(platform, ways := Fork(bursts.burst, 3))
        m.submodules.lengths = place(platform, lengths := Queue("burst_lengths", 8, depth))
        m.submodules.marks = place(platform, marks := Queue("write_marks", mark_layout(TAG_BITS), depth))
        m.submodules.answers = place(platform, answers := WriteAnswers(TAG_BITS))
        connect(m, bursts.o, ways.i)
        connect(m, marks.o, answers.mark)
        connect(m, flipped(self.b), answers.b)
        connect(m, answers.o, flipped(self.answer))
        # A run that the next one joins goes with that; one that is not written counts only where an order ends with it.
        counts = named(m, (asked.payload.inside & ~asked.payload.joins) | asked.payload.last, "counts")
        address, length, mark = ways.outputs
        m.d.comb += [
            bursts.i.valid.eq(asked.valid & counts),
            bursts.i.payload.address.eq(asked.payload.span_address),
            bursts.i.payload.bytes.eq(asked.payload.span_bytes),
            bursts.i.payload.none.eq(~asked.payload.inside),
            bursts.i.payload.side.tag.eq(asked.payload.tag),
            bursts.i.payload.side.last.eq(asked.payload.last),
            asked.ready.eq(bursts.i.ready | ~counts),
            bursts.done.eq(answers.b.valid & answers.b.ready),
            self.aw.valid.eq(address.valid & ~address.payload.none),
            self.aw.payload.addr.eq(address.payload.addr),
            self.aw.payload.len.eq(address.payload.len),
            address.ready.eq(self.aw.ready | address.payload.none),
            lengths.i.valid.eq(length.valid & ~length.payload.none),
            lengths.i.payload.eq(length.payload.len),
            length.ready.eq(lengths.i.ready | length.payload.none),
            marks.i.valid.eq(mark.valid),
            marks.i.payload.tag.eq(mark.payload.side.tag),
            marks.i.payload.last.eq(mark.payload.side.last & mark.payload.final),
            marks.i.payload.none.eq(mark.payload.none),
            mark.ready.eq(marks.i.ready),
        ]
        return lengths.o, marks.o

    def _send(self, m: Module, platform: Any, cutter: WriteCut, lengths: Any) -> None:
        """Values to beats of W, ``last`` by the length of each burst."""
        bus = self.bus_bits // 8
        unpack_sources(m, platform, self, self.sources, cutter)
        cuts, words = words_of_cuts(m, platform, bus)
        connect(m, cutter.o, cuts)
        beat = Signal(8)
        last = named(m, beat == lengths.payload, "last")
        sent = named(m, self.w.valid & self.w.ready, "sent")
        m.d.comb += [
            self.w.valid.eq(words.valid & lengths.valid),
            self.w.payload.data.eq(words.payload.data),
            self.w.payload.strb.eq(words.payload.keep),
            self.w.payload.last.eq(last),
            words.ready.eq(self.w.ready & lengths.valid),
            lengths.ready.eq(sent & last),
        ]
        with m.If(sent):
            m.d.sync += beat.eq(Mux(last, 0, beat + 1))

    def _report(self, m: Module, awaits: Value) -> None:
        """What can be seen from outside; ``awaits``: all data of bursts asked for are sent, responses are to come."""
        # More orders than the queues between have room for.
        under_way = Signal(ceil_log2(self.outstanding) + 5)
        comes = named(m, self.order.valid & self.order.ready, "comes")
        ends = named(m, self.answer.valid & self.answer.ready, "ends")
        m.d.sync += [under_way.eq(under_way + comes - ends), self.beat.eq(self.w.valid & self.w.ready)]
        m.d.comb += [
            self.idle.eq(under_way == 0),
            self.waits.eq((self.aw.valid & ~self.aw.ready) | (self.w.valid & ~self.w.ready) | awaits),
        ]
