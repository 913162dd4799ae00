"""The processing element that can do all three dataflows, chosen step by step."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal

from tilewright.hdl.pe.element import Element
from tilewright.hdl.pe.held import HeldOperand
from tilewright.hdl.pe.operands import Operands
from tilewright.hdl.pe.output import drain_step
from tilewright.hdl.structure import data_register


class FlexibleElement(Element):
    """Stationary when ``pass_sum`` is set, output-stationary when it is not; one multiplier, one adder.

    As in `StationaryElement` and `OutputElement`, whose controls it has. In output-stationary steps ``shift`` and
    ``swap`` stay high, which turns the double buffer into two more registers of ``y``: ``x`` must come one cycle after
    the ``y`` it belongs to. In stationary steps ``capture`` and ``clear`` stay high: the drain register is then the
    register of the passing sum.
    """

    row_controls = ("swap", "pass_sum", "clear", "capture")
    column_controls = ("shift", "done", "drain")

    def __init__(self, operands: Operands) -> None:
        if not operands.wraps:
            raise ValueError("a flexible element that starts from zero must wrap; use SeededFlexibleElement")
        super().__init__("flexible", operands)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        o = self.operands
        held = HeldOperand(m, self.y_in, shift=self.shift, done=self.done, swap=self.swap_in)
        m.d.sync += [getattr(self, f"{c}_out").eq(getattr(self, f"{c}_in")) for c in self.row_controls]
        m.d.comb += [self.x_out.eq(data_register(m, self.x_in, "x")), self.y_out.eq(held.next)]
        kept = Signal(o.sum_shape, reset_less=True)
        term = self.term(m, platform, held.active)
        total = o.add_selected(m, platform, self.pass_sum_out, self.sum_in, kept, term)
        m.d.sync += kept.eq(Mux(self.clear_out, 0, total))
        drain_step(m, self, total)
        return m
