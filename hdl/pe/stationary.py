"""The processing element that holds one operand and passes the sum on: weight- and input-stationary arrays."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module

from tilewright.hdl.pe.element import Element
from tilewright.hdl.pe.held import HeldOperand
from tilewright.hdl.pe.operands import Operands
from tilewright.hdl.structure import data_register


class StationaryElement(Element):
    """``sum_out = sum_in + dot(x, held)``: the held operand is double-buffered.

    ``y`` is the chain that brings the next operand to hold (see `HeldOperand`), ``swap`` starts using it with the
    ``x`` that comes beside it. Latency from ``x_in`` to ``sum_out``: ``2 + pipeline`` cycles, from ``sum_in``: 1;
    one ``x`` a cycle. Data registers have no reset.
    """

    row_controls = ("swap",)
    column_controls = ("shift", "done")

    def __init__(self, operands: Operands) -> None:
        super().__init__("stationary", operands)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        o = self.operands
        held = HeldOperand(m, self.y_in, shift=self.shift, done=self.done, swap=self.swap_in)
        m.d.sync += self.swap_out.eq(self.swap_in)
        m.d.comb += [self.x_out.eq(data_register(m, self.x_in, "x")), self.y_out.eq(held.next)]
        term = self.term(m, platform, held.active)
        total = o.add(m, self.sum_in, term)
        m.d.comb += self.sum_out.eq(data_register(m, total, "sum"))
        return m
