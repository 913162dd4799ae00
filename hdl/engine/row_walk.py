"""Where in its matrix a beat lies."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value

from tilewright.hdl.structure import named

COLUMN_BITS = 16


class RowWalk:
    """Follows matrices of ``columns`` columns, ``lanes`` of them a beat; a row starts on a new beat.

    ``taken``: a beat moves; ``last``: it ends its matrix; ``columns``: those of the matrix of the beat that comes next.

    Attributes
    ----------
    first: the beat that comes next begins a matrix
    ends: it ends a row
    """

    def __init__(self, m: Module, taken: Value, last: Value, columns: Value, lanes: int) -> None:
        self._taken = taken
        self.first = Signal(init=1, name="first")
        before = Signal(COLUMN_BITS, name="columns_before", reset_less=True)
        left = named(m, Mux(self.first, columns, before)[:COLUMN_BITS], "columns_left")
        self.ends = named(m, left <= lanes, "row_ends")
        with m.If(taken):
            m.d.sync += [self.first.eq(last), before.eq(Mux(self.ends, columns, left - lanes))]

    def row(self, m: Module, start: Value) -> Value:
        """The number of its row, when that of the first is ``start``."""
        before = Signal(len(start), name="row_before", reset_less=True)
        row = named(m, Mux(self.first, start, before), "row")
        with m.If(self._taken):
            m.d.sync += before.eq(row + self.ends)
        return row

    def panel(self, m: Module, start: Value) -> Value:
        """The number of its panel of columns, when that of the first is ``start``."""
        before = Signal(len(start), name="panel_before", reset_less=True)
        panel = named(m, Mux(self.first, start, before), "panel")
        with m.If(self._taken):
            m.d.sync += before.eq(Mux(self.ends, start, panel + 1))
        return panel
