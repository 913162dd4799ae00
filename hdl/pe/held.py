"""The double-buffered operand or sum that a processing element is given ahead of its fold."""

from __future__ import annotations

from amaranth.hdl import Module, Signal

from tilewright.hdl.structure import Registered


class HeldChain:
    """One register, ``next``, in a chain down the column: what this element uses from its next ``swap`` on.

    The chain of a column takes one word a cycle, bottom row first. While ``shift`` is high (the same for the whole
    column) an element takes its neighbour's word, but only from its own ``swap`` on: until then ``next`` is still
    needed here. So a column may start to shift in the very cycle in which its top element swaps; rows join one a
    cycle, as the swap descends, and all end together when ``done`` marks the last shift. A fold therefore takes
    ``max(stream, rows)`` cycles, where a chain that shifts all rows together would need ``2 * rows``.
    """

    def __init__(self, m: Module, above: Signal, *, shift: Signal, done: Signal, swap: Signal, name: str) -> None:
        self.next = Signal.like(above, name=f"{name}_next", reset_less=True)
        free = Signal(init=1, name=f"{name}_free")
        may_shift = Signal(name=f"{name}_may_shift")
        m.d.comb += may_shift.eq(free | swap)
        m.d.sync += free.eq(may_shift & ~(done & shift))
        with m.If(shift & may_shift):
            m.d.sync += self.next.eq(above)


class HeldOperand:
    """A `HeldChain` of operands and the register ``active`` that multiplies: it takes ``next`` on ``swap``."""

    def __init__(self, m: Module, above: Signal, *, shift: Signal, done: Signal, swap: Signal) -> None:
        chain = HeldChain(m, above, shift=shift, done=done, swap=swap, name="held")
        self.next = chain.next
        active = Signal.like(above, name="held", reset_less=True)
        with m.If(swap):
            m.d.sync += active.eq(self.next)
        self.active = Registered(active, self.next, swap)
