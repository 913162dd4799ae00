"""The double-buffered stationary operand of one processing element."""

from __future__ import annotations

from amaranth.hdl import Module, Signal


class HeldOperand:
    """Two registers: ``active`` multiplies while ``next`` is shifted in from the element above.

    The chain of a column takes one operand a cycle, bottom row first. While ``shift`` is high (the same for the whole
    column) an element takes its neighbour's operand, but only from its own ``swap`` on: until then ``next`` is
    still needed here. So a column may start to shift in the very cycle in which its top element swaps; rows join one a cycle, as the swap
    descends, and all end together when ``done`` marks the last shift. A fold therefore takes ``max(stream, rows)``
    cycles, where a chain that shifts all rows together would need ``2 * rows``.
    """

    def __init__(self, m: Module, above: Signal, *, shift: Signal, done: Signal, swap: Signal) -> None:
        self.next = Signal.like(above, name="held_next", reset_less=True)
        self.active = Signal.like(above, name="held", reset_less=True)
        free = Signal(init=1)
        may_shift = Signal()
        m.d.comb += may_shift.eq(free | swap)
        m.d.sync += free.eq(may_shift & ~(done & shift))
        with m.If(shift & may_shift):
            m.d.sync += self.next.eq(above)
        with m.If(swap):
            m.d.sync += self.active.eq(self.next)
