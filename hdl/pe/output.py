"""The processing element that keeps its sum: output-stationary arrays."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal

from tilewright.hdl.pe.element import Element
from tilewright.hdl.pe.operands import Operands
from tilewright.hdl.structure import Registered, data_register


class OutputElement(Element):
    """Accumulates ``dot(x, y)`` in place; the finished sum leaves through a second register.

    ``clear`` returns the accumulator to zero after this step (the last of a tile, and every idle one), ``capture``
    takes the finished sum into the drain register. Both come ``pipeline`` cycles after the operands they belong to.
    ``drain`` starts the column's drain: every row passes its sum down once a cycle until it captures its next one, so
    a tile takes ``max(K, rows)`` cycles. Latency from operands to the capture: ``2 + pipeline`` cycles; one step a
    cycle. Data registers have no reset; the accumulator is cleared by the first idle step.
    """

    row_controls = ("clear", "capture")
    column_controls = ("drain",)

    def __init__(self, operands: Operands) -> None:
        if not operands.wraps:
            raise ValueError("an output-stationary element that starts from zero must wrap; use SeededOutputElement")
        super().__init__("output", operands)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        o = self.operands
        m.d.comb += [
            self.x_out.eq(data_register(m, self.x_in, "x")),
            self.y_out.eq(data_register(m, self.y_in, "y")),
        ]
        m.d.sync += [
            self.clear_out.eq(self.clear_in),
            self.capture_out.eq(self.capture_in),
        ]
        kept = Signal(o.sum_shape, reset_less=True)
        term = self.term(m, platform, Registered(self.y_out, self.y_in))
        total = o.add(m, kept, term)
        m.d.sync += kept.eq(Mux(self.clear_out, 0, total))
        drain_step(m, self, total)
        return m


def drain_step(m: Module, element: Element, total: Signal) -> None:
    """The drain register of ``element``: takes ``total`` on capture, else passes sums down while its column drains."""
    draining = Signal()
    moving = Signal()
    m.d.comb += moving.eq(draining | element.drain)
    m.d.sync += draining.eq(moving & ~element.capture_out)
    value = Mux(element.capture_out, total, element.sum_in)
    m.d.comb += element.sum_out.eq(data_register(m, value, "sum", enable=element.capture_out | moving))
