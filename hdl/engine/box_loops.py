"""Where in the loops of a box's rows and columns a walk is."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, signed

from tilewright.hdl.structure import named

PLACE_BITS = 20  # of a place in a picture, with sign


class BoxLoops:
    """Registers that go from run to run. Nothing here is multiplied: every step adds one stride.

    Attributes
    ----------
    row, column: the run's address is their sum
    columns_left, line_left: elements that the row and the line still have; the run has the smaller number of them
    x_row, x_column, y_row, y_column: its place in the picture is their sums
    row_end, last: the run ends its row, the box
    """

    def __init__(self, m: Module, current: Any, address_bits: int) -> None:
        self._current = current

        def register(name: str, shape: Any) -> Signal:
            return Signal(shape, name=name, reset_less=True)

        self.row, self._line = register("row", address_bits), register("line", address_bits)
        self.column, self._tap = register("column", address_bits), register("tap", address_bits)
        self._tap_y = register("tap_y", address_bits)
        self.rows_left, self.columns_left = register("rows_left", 16), register("columns_left", 16)
        self.line_left, self._tap_x_left = register("line_left", 16), register("tap_x_left", 8)
        self._out_x_left, self._out_y_left = register("out_x_left", 16), register("out_y_left", 16)
        self.x_row, self.y_row = register("x_row", signed(PLACE_BITS)), register("y_row", signed(PLACE_BITS))
        self.x_column = register("x_column", signed(PLACE_BITS))
        self.y_column = register("y_column", signed(PLACE_BITS))
        self.row_end = named(m, self.columns_left <= self.line_left, "row_end")
        self.last = named(m, self.row_end & (self.rows_left <= 1), "walk_last")

    def begin(self, m: Module, start: Any) -> None:
        """Goes to the first run of what starts next."""
        order = start.order
        m.d.sync += [
            self.row.eq(start.row),
            self._line.eq(order.box.address),
            self.rows_left.eq(order.box.rows),
            self._out_x_left.eq(start.out_x_left),
            self._out_y_left.eq(start.out_y_left),
            self.x_row.eq(order.box.x_row),
            self.y_row.eq(order.box.y_row),
        ]
        self._first_column(m, start)

    def advance(self, m: Module) -> None:
        """Goes to the next run."""
        with m.If(self.row_end):
            self._first_column(m, self._current)
            self._next_row(m)
        with m.Else():
            self._next_tap(m)

    def _first_column(self, m: Module, start: Any) -> None:
        order = start.order
        m.d.sync += [
            self.column.eq(start.column),
            self._tap.eq(start.tap),
            self._tap_y.eq(order.box.tap_y_offset),
            self.columns_left.eq(order.box.cols),
            self.line_left.eq(start.line_left),
            self._tap_x_left.eq(start.tap_x_left),
            self.x_column.eq(order.box.x_column),
            self.y_column.eq(order.box.y_column),
        ]

    def _next_tap(self, m: Module) -> None:
        tensor = self._current.order.tensor
        wraps = named(m, self._tap_x_left == 1, "tap_x_wraps")
        tap_y = named(m, (self._tap_y + tensor.tap_y_stride)[: len(self._tap_y)], "tap_y_next")
        tap = named(m, Mux(wraps, tap_y, (self._tap + tensor.tap_x_stride)[: len(self._tap)]), "tap_next")
        m.d.sync += [
            self.columns_left.eq(self.columns_left - self.line_left),
            self.line_left.eq(self._current.line),
            self._tap.eq(tap),
            self.column.eq(tap),
            self._tap_x_left.eq(self._tap_x_left - 1),
            self.x_column.eq(self.x_column + tensor.x_tap_step),
        ]
        with m.If(wraps):
            m.d.sync += [
                self._tap_y.eq(tap_y),
                self._tap_x_left.eq(tensor.tap_x_count),
                self.x_column.eq(0),
                self.y_column.eq(self.y_column + tensor.y_tap_step),
            ]

    def _next_row(self, m: Module) -> None:
        tensor = self._current.order.tensor
        line_wraps = named(m, self._out_x_left == 1, "out_x_wraps")
        picture_wraps = named(m, self._out_y_left == 1, "out_y_wraps")
        step = Mux(picture_wraps, self._current.picture_step, tensor.out_y_stride)
        line = named(m, (self._line + step)[: len(self._line)], "line_next")
        m.d.sync += [
            self.rows_left.eq(self.rows_left - 1),
            self.row.eq(self.row + tensor.out_x_stride),
            self._out_x_left.eq(self._out_x_left - 1),
            self.x_row.eq(self.x_row + tensor.x_out_step),
        ]
        with m.If(line_wraps):
            m.d.sync += [
                self.row.eq(line),
                self._line.eq(line),
                self._out_x_left.eq(tensor.out_x_count),
                self.x_row.eq(tensor.x_first),
                self._out_y_left.eq(Mux(picture_wraps, tensor.out_y_count, self._out_y_left - 1)),
                self.y_row.eq(Mux(picture_wraps, tensor.y_first, self.y_row + tensor.y_out_step)),
            ]
