"""Turns matrices that lie transposed in memory on their way to the core."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.engine.flow import Flow
from tilewright.hdl.engine.records import TURN_ORDER
from tilewright.hdl.engine.row_walk import RowWalk
from tilewright.hdl.memory import Ram
from tilewright.hdl.stream import Buffer, Queue, beat_layout
from tilewright.hdl.structure import Block, data_register, named, pipeline, place

WAY = 2
"""Cycles from the read of a row to its beat."""


class Transposer(Block):
    """Gives the transpose of the matrices that come, where their order says so; others pass. One order a packet.

    Of an order that ``turns``, ``rows`` and ``cols`` are those of the matrix that comes, ``values`` of a row a beat; it
    has at most ``values`` rows and ``most`` columns. What goes has a beat for each of its columns. One half of the
    memory is read while the other is filled: in a sequence of whole blocks a beat comes and one goes each cycle.

    Latency: ``latency`` cycles from a beat that passes to that of ``o``, and from the last beat of a matrix that is
    turned to the first of its transpose 1 more, when nothing is under way.

    Parameters
    ----------
    values, width: int
        Values of a beat and their bits.
    most: int
        Columns of the largest matrix that comes to be turned.

    Members
    -------
    order: TURN_ORDER; i, o: beats of ``values`` codes
    """

    throughput = 1
    latency = WAY + Queue.latency

    def __init__(self, values: int, width: int, most: int) -> None:
        for field, value in (("values", values), ("width", width), ("most", most)):
            if value < 1:
                raise ValueError(f"{field} must be at least 1, got {value}")
        self.values, self.width, self.most = values, width, most
        self.words = -(-most // values)
        beats = stream.Signature(beat_layout(values, width))
        members = {"order": In(stream.Signature(TURN_ORDER)), "i": In(beats), "o": Out(beats)}
        super().__init__(f"transposer_{values}x{width}_{most}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.orders = place(platform, orders := Buffer(TURN_ORDER))
        connect(m, flipped(self.order), orders.i)
        order, beat = orders.o.payload, self.i.payload
        flow = Flow(m, platform, self.o, WAY)
        full, filling, reading = Signal(2, name="full"), Signal(name="filling"), Signal(name="reading")
        passes = named(m, orders.o.valid & ~order.turns & ~full.any() & flow.room, "passes")
        fills = named(m, orders.o.valid & order.turns & ~full.bit_select(filling, 1), "fills")
        m.d.comb += self.i.ready.eq(passes | fills)
        taken = named(m, self.i.valid & (passes | fills), "taken")
        passed, filled = named(m, self.i.valid & passes, "passed"), named(m, self.i.valid & fills, "filled")
        m.d.comb += orders.o.ready.eq(taken & beat.last)

        # A word of each row of the matrix that comes is a lane of the memory, a half a matrix.
        depth = 1 << max(0, (self.words - 1).bit_length())
        half_bits = depth.bit_length() - 1
        ram = Ram(2 * depth, self.values * self.width, lanes=self.values)
        m.submodules.blocks = place(platform, ram)
        walk = RowWalk(m, filled, beat.last, order.cols, self.values)
        row, panel = walk.row(m, Const(0, 16)), walk.panel(m, Const(0, 16))
        ends = named(m, filled & beat.last, "fill_ends")
        m.d.comb += [
            ram.write_enable.eq(Cat(filled & (row == lane) for lane in range(self.values))),
            ram.write_address.eq(Cat(panel[:half_bits], filling)),
            ram.write_data.eq(beat.data.replicate(self.values)),
        ]
        rows, cols = self._sizes(m, order, ends, filling)
        index, word = Signal(16, name="index"), Signal(16, name="word")
        lane = Signal(range(max(2, self.values)), name="lane")
        reads = named(m, full.bit_select(reading, 1) & flow.room, "reads")
        now_rows, now_cols = Mux(reading, rows[1], rows[0]), Mux(reading, cols[1], cols[0])
        final = named(m, index + 1 == now_cols, "final")
        wraps = named(m, lane == self.values - 1, "wraps")
        read_ends = named(m, reads & final, "read_ends")
        with m.If(reads):
            m.d.sync += [
                index.eq(Mux(final, 0, index + 1)),
                lane.eq(Mux(final | wraps, 0, lane + 1)),
                word.eq(Mux(final, 0, word + wraps)),
                reading.eq(reading ^ final),
            ]
        for half in (0, 1):
            starts, stops = ends & (filling == half), read_ends & (reading == half)
            with m.If(starts | stops):
                m.d.sync += full[half].eq(starts)
        m.d.comb += [
            ram.read_enable.eq(reads),
            ram.read_address.eq(Cat(word[:half_bits], reading)),
        ]
        turned = self._column(m, ram.read_data, data_register(m, lane, "lane_read"))
        plain = pipeline(m, beat.data, WAY, "plain")
        passing = pipeline(m, passes, WAY, "passing")
        keep = Cat(lane_of < now_rows for lane_of in range(self.values))
        side = SimpleNamespace(last=Mux(passes, beat.last, final), keep=Mux(passes, beat.keep, keep))
        flow.begin(m, platform, passed | reads, side, Mux(passing, plain, turned))
        return m

    def _sizes(self, m: Module, order: Any, ends: Value, filling: Signal) -> list[list[Signal]]:
        """Rows and columns of the matrix in each half; when one ends, the other half is filled."""
        sizes = [[Signal(16, name=f"{name}_{half}", reset_less=True) for half in (0, 1)] for name in ("rows", "cols")]
        with m.If(ends):
            m.d.sync += filling.eq(~filling)
        for half in (0, 1):
            with m.If(ends & (filling == half)):
                m.d.sync += [sizes[0][half].eq(order.rows), sizes[1][half].eq(order.cols)]
        return sizes

    def _column(self, m: Module, read: Value, lane: Value) -> Value:
        """A value of each row, a cycle later."""
        w, size = self.width, self.values * self.width
        padding = (1 << len(lane)) - self.values
        found = []
        for row in range(self.values):
            part = read[row * size : (row + 1) * size]
            choices = [part[at * w : (at + 1) * w] for at in range(self.values)]
            found.append(named(m, Array([*choices, *[choices[-1]] * padding])[lane], f"value_{row}"))
        return data_register(m, Cat(*found), "column")
