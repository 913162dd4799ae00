"""The stationary processing element whose add takes several cycles."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal

from tilewright.hdl.pe.element import Element
from tilewright.hdl.pe.operands import Operands
from tilewright.hdl.structure import Registered, data_register, pipeline


class SteppedElement(Element):
    """``sum_out = sum_in + x * held`` in ``h = add_latency`` cycles, at least 2; each row works ``h`` cycles later.

    Operands to hold come down as ``y``, first row first, ``h - 1`` cycles a row, while the token ``load`` and the
    row's other controls take ``h``. So the word that is there with the token is the row's own, every row has all the
    time from its own ``swap`` to the next for it, and a fold takes ``max(stream, rows)`` cycles. ``swap`` starts using
    it with the ``x`` that comes beside it. Latency from ``x_in`` to ``sum_out``: ``1 + pipeline + h`` cycles, from
    ``sum_in``: ``h``; one ``x`` a cycle. Data registers have no reset.
    """

    row_controls = ("swap", "load")

    def __init__(self, operands: Operands) -> None:
        self.hop = operands.add_latency
        super().__init__("stepped", operands)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        o = self.operands
        held_next = data_register(m, self.y_in, "held_next", enable=self.load_in)
        held = data_register(m, held_next, "held", enable=self.swap_in)
        m.d.sync += [getattr(self, f"{c}_out").eq(getattr(self, f"{c}_in")) for c in self.row_controls]
        m.d.comb += [
            self.x_out.eq(data_register(m, self.x_in, "x")),
            self.y_out.eq(pipeline(m, self.y_in, o.add_latency - 1, "y")),
        ]
        total = Signal(o.sum_shape, name="total")
        m.d.comb += total.eq(o.add(m, self.sum_in, self.term(m, platform, Registered(held, held_next, self.swap_in))))
        m.d.comb += self.sum_out.eq(data_register(m, total, "sum"))
        return m
