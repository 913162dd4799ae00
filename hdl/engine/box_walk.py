"""The pieces of memory that a matrix out of a tensor is made of."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.engine.box_loops import PLACE_BITS, BoxLoops
from tilewright.hdl.engine.box_start import BoxStart, start_layout
from tilewright.hdl.engine.order import order_layout, run_layout
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.structure import Block, named, place


class BoxWalk(Block):
    """Gives the runs (`run_layout`) of orders (`order_layout`), row by row, a row's columns in order.

    A run ends where its line of the tensor does, or the row of the matrix. ``throughput`` = 1 run a cycle. The first
    run comes ``latency`` = 7 cycles after its order when nothing is under way, and one more for each bit of
    ``tensor.out_y_count - 1`` (the way from the last line of a picture to the next picture is found meanwhile, bit by
    bit). The next order is made ready while one is walked: it follows without a gap when that gives as many runs.
    ``i.ready``, ``o.valid`` and ``o.payload`` are registers.
    """

    latency = 6
    throughput = 1
    order_cycles = 4

    def __init__(self, address_bits: int) -> None:
        if not 12 <= address_bits <= 64:
            raise ValueError(f"address_bits must be 12..64, got {address_bits}")
        self.address_bits = address_bits
        members = {
            "i": In(stream.Signature(order_layout(address_bits))),
            "o": Out(stream.Signature(run_layout(address_bits))),
        }
        super().__init__(f"box_walk_{address_bits}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.start = place(platform, start := BoxStart(self.address_bits))
        m.submodules.buffer = place(platform, buffer := Buffer(run_layout(self.address_bits)))
        connect(m, flipped(self.i), start.i)
        connect(m, buffer.o, flipped(self.o))
        running = Signal()
        current = Signal(start_layout(self.address_bits), name="current", reset_less=True)
        summed, step = Signal(), Signal()
        loops = BoxLoops(m, current, self.address_bits)
        ends = named(m, step & loops.last, "ends")
        m.d.comb += start.o.ready.eq(~running | ends)
        with m.If(start.o.valid & start.o.ready):
            m.d.sync += [running.eq(1), current.eq(start.o.payload)]
            loops.begin(m, start.o.payload)
        with m.Else():
            with m.If(ends):
                m.d.sync += running.eq(0)
            with m.If(step):
                loops.advance(m)

        # Sums of what rows and columns make take the next cycle.
        moves = named(m, ~summed | buffer.i.ready, "moves")
        m.d.comb += step.eq(running & moves)
        with m.If(moves):
            m.d.sync += summed.eq(running)
        self._sum(m, loops, current, moves, buffer.i.payload)
        m.d.comb += buffer.i.valid.eq(summed)
        return m

    def _sum(self, m: Module, loops: BoxLoops, current: Any, moves: Value, run: Any) -> None:
        """The run at which ``loops`` are, a cycle later."""
        order = current.order
        kept = data.StructLayout(
            {
                "row": unsigned(self.address_bits),
                "column": unsigned(self.address_bits),
                "elements": unsigned(16),
                "row_end": unsigned(1),
                "last": unsigned(1),
                "x": signed(PLACE_BITS),
                "y": signed(PLACE_BITS),
                "x_size": unsigned(16),
                "y_size": unsigned(16),
            }
        )
        at = Signal(kept, name="at", reset_less=True)
        with m.If(moves):
            m.d.sync += [
                at.row.eq(loops.row),
                at.column.eq(loops.column),
                at.elements.eq(Mux(loops.row_end, loops.columns_left, loops.line_left)),
                at.row_end.eq(loops.row_end),
                at.last.eq(loops.last),
                at.x.eq(loops.x_row + loops.x_column),
                at.y.eq(loops.y_row + loops.y_column),
                at.x_size.eq(order.tensor.x_size),
                at.y_size.eq(order.tensor.y_size),
            ]
        for field in ("fill", "stream", "element", "tag"):
            value = order.tensor.fill if field == "fill" else order[field]
            held = Signal(value.shape(), name=f"at_{field}", reset_less=True)
            with m.If(moves):
                m.d.sync += held.eq(value)
            m.d.comb += run[field].eq(held)
        # A negative place is a large one without its sign.
        within = [at[axis].as_unsigned() < at[f"{axis}_size"] for axis in "xy"]
        m.d.comb += [
            run.address.eq(at.row + at.column),
            run.bytes.eq(at.elements << run.element),
            run.inside.eq(within[0] & within[1] & at.elements.any()),
            run.row_end.eq(at.row_end),
            run.last.eq(at.last),
        ]
