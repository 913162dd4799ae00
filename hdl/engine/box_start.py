"""What a walk through a box starts from."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.engine.order import order_layout
from tilewright.hdl.structure import Block, data_register, named


def start_layout(address_bits: int) -> data.StructLayout:
    """An order, and sums of its fields.

    ``row``: address of the first row at tap 0. ``column``, ``tap``: bytes from there to the first column, and to
    element 0 of its line. ``line_left``, ``line``: elements of the first line from the first column on, and of a whole
    line, both at most 65,535, as many as a row may have. ``*_left``: steps of a loop, the first included.
    ``picture_step``: bytes from the last line of rows of a picture to the first of the next.
    """
    address = unsigned(address_bits)
    return data.StructLayout(
        {
            "order": order_layout(address_bits),
            "row": address,
            "column": address,
            "tap": address,
            "picture_step": address,
            "line_left": unsigned(16),
            "line": unsigned(16),
            "tap_x_left": unsigned(8),
            "out_x_left": unsigned(16),
            "out_y_left": unsigned(16),
        }
    )


class BoxStart(Block):
    """Finds what a walk starts from (`start_layout`): one order at a time, so that the next waits while one is walked.

    Latency ``latency`` = 3 cycles, and one more for each bit but the first of ``tensor.out_y_count - 1``: a product
    is summed bit by bit. An order that goes leaves room in the next cycle. ``i.ready``, ``o.valid`` are registers.
    """

    latency = 3

    def __init__(self, address_bits: int) -> None:
        self.address_bits = address_bits
        members = {
            "i": In(stream.Signature(order_layout(address_bits))),
            "o": Out(stream.Signature(start_layout(address_bits))),
        }
        super().__init__(f"box_start_{address_bits}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        order = Signal(order_layout(self.address_bits), name="order", reset_less=True)
        box, tensor = order.box, order.tensor
        held, stage = Signal(), Signal(2)
        taken = named(m, self.i.valid & ~held, "taken")
        with m.If(taken):
            m.d.sync += [held.eq(1), order.eq(self.i.payload)]
        with m.Elif(self.o.valid & self.o.ready):
            m.d.sync += held.eq(0)
        m.d.sync += stage.eq(Mux(taken, 0, (stage << 1) | 1))
        step, stepped = self._picture_step(m, taken, held & ~stage[0], tensor)

        empty = named(m, ~(box.rows.any() & box.cols.any()), "empty")
        line_left = named(m, (tensor.line - box.line_start)[:32], "line_left")
        tap = data_register(m, self._address(box.tap_x_offset + box.tap_y_offset), "tap")
        line_bytes = data_register(m, self._address(box.line_start << order.element), "line_bytes")
        start = self.o.payload
        m.d.comb += [
            self.i.ready.eq(~held),
            self.o.valid.eq(held & stage[1] & stepped),
            start.order.eq(order),
            start.row.eq(data_register(m, self._address(box.address + box.out_x_offset), "row")),
            start.column.eq(data_register(m, self._address(tap + line_bytes), "column")),
            start.tap.eq(tap),
            start.picture_step.eq(step),
            start.line_left.eq(data_register(m, _within_16(line_left), "line_left_16")),
            start.line.eq(data_register(m, _within_16(tensor.line), "line_16")),
            start.tap_x_left.eq(data_register(m, (tensor.tap_x_count - box.tap_x_start)[:8], "tap_x_left")),
            start.out_x_left.eq(data_register(m, (tensor.out_x_count - box.out_x_start)[:16], "out_x_left")),
            start.out_y_left.eq(data_register(m, (tensor.out_y_count - box.out_y_start)[:16], "out_y_left")),
        ]
        with m.If(empty):  # one run of no elements
            m.d.comb += [start.order.box.rows.eq(0), start.order.box.cols.eq(0)]
        return m

    def _picture_step(self, m: Module, taken: Value, first: Value, tensor: Any) -> tuple[Value, Value]:
        """``batch_stride - (out_y_count - 1) * out_y_stride`` modulo the address, and whether it is known."""
        lines_left, known = Signal(16, reset_less=True), Signal()
        stride = Signal(signed(self.address_bits), name="stride_scaled", reset_less=True)
        step = Signal(self.address_bits, name="picture_step", reset_less=True)
        with m.If(taken):
            m.d.sync += known.eq(0)
        with m.Elif(first):
            m.d.sync += [
                lines_left.eq(tensor.out_y_count - 1),
                stride.eq(tensor.out_y_stride),
                step.eq(tensor.batch_stride),
            ]
        with m.Else():
            m.d.sync += [lines_left.eq(lines_left >> 1), stride.eq(stride << 1), known.eq(~lines_left[1:].any())]
            with m.If(lines_left[0]):
                m.d.sync += step.eq(step - stride)
        return step, known

    def _address(self, value: Value) -> Value:
        """``value`` modulo the address, sign-extended to it."""
        wide = Value.cast(value)
        return wide[: self.address_bits] if len(wide) >= self.address_bits else wide


def _within_16(value: Value) -> Value:
    """``value``, or 65,535 where it is more."""
    return Mux(value[16:].any(), 0xFFFF, value[:16])
