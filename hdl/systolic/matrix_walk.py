"""Row by row through a matrix in a scratchpad."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data

from tilewright.hdl.memory import Geometry
from tilewright.hdl.structure import named


class MatrixWalk:
    """Where a transfer is: one word after the other, row by row, panel by panel.

    Attributes
    ----------
    row: the row, from 0
    panel: the word of the panel's first row
    end_of_row: this is the last panel of the row
    final: this is the last word of the matrix
    """

    def __init__(self, m: Module, geometry: Geometry, command: data.View[Any], stride: Value, panels: Value) -> None:
        """Through the matrix of ``command``: ``panels`` panels, ``stride`` words apart."""
        self._command, self._stride, self._panels = command, stride, panels
        self.row, self._rows_left = Signal(16, name="row"), Signal(16, name="rows_left")
        self.panel, self._panels_left = Signal(geometry.address_bits, name="panel"), Signal(17, name="panels_left")
        self.end_of_row = named(m, self._panels_left <= 1, "end_of_row")
        self.final = named(m, self.end_of_row & (self._rows_left == 1), "final")

    def begin(self, m: Module) -> None:
        """Goes to the first word."""
        m.d.sync += [self.row.eq(0), self._rows_left.eq(self._command.rows)]
        self._first_panel(m)

    def advance(self, m: Module) -> None:
        """Goes to the next word."""
        with m.If(self.end_of_row):
            m.d.sync += [self.row.eq(self.row + 1), self._rows_left.eq(self._rows_left - 1)]
            self._first_panel(m)
        with m.Else():
            m.d.sync += [self._panels_left.eq(self._panels_left - 1), self.panel.eq(self.panel + self._stride)]

    def _first_panel(self, m: Module) -> None:
        m.d.sync += [self._panels_left.eq(self._panels), self.panel.eq(self._command.base)]
