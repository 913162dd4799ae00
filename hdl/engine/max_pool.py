"""Pools results on their way to memory."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import ceil_log2

from tilewright.hdl.engine.flow import Flow
from tilewright.hdl.engine.records import FINISH_ORDER
from tilewright.hdl.engine.row_walk import COLUMN_BITS, RowWalk
from tilewright.hdl.memory import Ram
from tilewright.hdl.numeric import FloatFormat, IntFormat
from tilewright.hdl.stream import Buffer, Queue, beat_layout
from tilewright.hdl.structure import Block, data_register, named, pipeline, place

WAY = 2
"""Cycles from a beat to the maximum that it completes."""


class MaxPool(Block):
    """The greatest of each 2 x 2 elements of a picture, in steps of 2; a beat of ``i`` a cycle.

    The rows of a packet are pixels, their columns channels (``order.cols`` of them, each pixel on a new beat), in lines
    of ``order.pool_width`` pixels. Both the width and the number of lines must be even: results of others are
    undefined. A line of half its width is kept: ``pool_width / 2 * ceil(cols / lanes)`` must be at most ``words``.
    Where ``pool_width`` is 0 the packet passes as it is. Floats are in the order of their codes: -0 is below +0, and
    NaN, which is positive in results, above all.

    Latency: ``latency`` cycles from the last of four beats of ``i`` to theirs of ``o``. A packet waits for its order,
    one a packet. ``i.ready`` depends on registers only.

    Members
    -------
    order: FINISH_ORDER; i, o: beats of ``lanes`` elements
    """

    throughput = 1
    latency = WAY + Queue.latency

    def __init__(self, lanes: int, fmt: IntFormat | FloatFormat, words: int) -> None:
        for field, value in (("lanes", lanes), ("words", words)):
            if value < 1:
                raise ValueError(f"{field} must be at least 1, got {value}")
        self.lanes, self.format, self.words = lanes, fmt, words
        beats = stream.Signature(beat_layout(lanes, fmt.width))
        members = {"order": In(stream.Signature(FINISH_ORDER)), "i": In(beats), "o": Out(beats)}
        super().__init__(f"max_pool_{lanes}x{fmt}_{words}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        beat, w = self.i.payload, self.format.width
        m.submodules.orders = place(platform, orders := Buffer(FINISH_ORDER))
        connect(m, flipped(self.order), orders.i)
        order = orders.o.payload
        flow = Flow(m, platform, self.o, WAY)
        taken = named(m, self.i.valid & self.i.ready, "taken")
        m.d.comb += [
            self.i.ready.eq(orders.o.valid & flow.room),
            orders.o.ready.eq(taken & beat.last),
        ]
        walk = RowWalk(m, taken, beat.last, order.cols, self.lanes)
        odd_pixel, odd_line, word = self._place(m, walk, taken, order.pool_width)
        pools = named(m, order.pool_width.any(), "pools")
        begins = named(m, pools & ~odd_pixel & ~odd_line, "begins")
        completes = named(m, ~pools | (odd_pixel & odd_line), "completes")

        ram = Ram(self.words, self.lanes * w)
        m.submodules.line = place(platform, ram)
        now = data_register(m, beat.data, "now")
        alone = data_register(m, begins | ~pools, "alone")
        writes = Signal()
        m.d.sync += writes.eq(taken & ~completes)
        write_word, written = data_register(m, word, "write_word"), Signal(self.lanes * w)
        # The word read may be the one written in that cycle.
        just_written = data_register(m, writes & (write_word == word), "just_written")
        before = Mux(just_written, data_register(m, written, "written_before"), ram.read_data)
        lanes = [slice(lane * w, (lane + 1) * w) for lane in range(self.lanes)]
        greatest = Cat(self._greater(m, now[lane], before[lane], f"lane_{lane.start // w}") for lane in lanes)
        m.d.comb += [
            written.eq(Mux(alone, now, greatest)),
            ram.read_enable.eq(taken & ~begins),
            ram.read_address.eq(word),
            ram.write_enable.eq(writes),
            ram.write_address.eq(write_word),
            ram.write_data.eq(written),
        ]
        flow.begin(m, platform, taken & completes, beat, pipeline(m, written, WAY - 1, "maximum"))
        return m

    def _place(self, m: Module, walk: RowWalk, taken: Value, width: Value) -> tuple[Value, Value, Value]:
        """Of the beat that comes next: whether pixel and line are odd, and its word in the line that is kept."""
        bits = max(1, ceil_log2(self.words))
        odd_line = Signal()
        pixel_before, line_before = Signal(COLUMN_BITS, reset_less=True), Signal(reset_less=True)
        pair_before, word_before = Signal(bits, reset_less=True), Signal(bits, reset_less=True)
        pixel = named(m, Mux(walk.first, 0, pixel_before), "pixel")
        pair = named(m, Mux(walk.first, 0, pair_before), "pair")
        word = named(m, Mux(walk.first, 0, word_before), "word")
        m.d.comb += odd_line.eq(line_before & ~walk.first)
        ends_line = named(m, walk.ends & (pixel + 1 == width), "line_ends")
        next_word = named(m, (word + 1)[:bits], "next_word")
        with m.If(taken):
            m.d.sync += [
                word_before.eq(Mux(walk.ends & ~pixel[0], pair, next_word)),
                pair_before.eq(Mux(walk.ends & pixel[0], next_word, pair)),
                pixel_before.eq(pixel + walk.ends),
                line_before.eq(odd_line ^ ends_line),
            ]
            with m.If(ends_line):
                m.d.sync += [word_before.eq(0), pair_before.eq(0), pixel_before.eq(0)]
        return pixel[0], odd_line, word

    def _greater(self, m: Module, a: Value, b: Value, name: str) -> Value:
        """The greater of two elements."""
        keys = [self._key(value) for value in (a, b)]
        return Mux(named(m, keys[0] > keys[1], f"{name}_greater"), a, b)

    def _key(self, value: Value) -> Value:
        """A number without sign that is in the order of elements."""
        sign = value[-1]
        if isinstance(self.format, FloatFormat):
            return Cat(value[:-1] ^ sign.replicate(len(value) - 1), ~sign)
        return Cat(value[:-1], ~sign) if self.format.signed else value
