"""Sums in windows: what accumulators hold, the step of several products, and the accumulating add."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Signal, Value, signed
from amaranth.lib import data

from tilewright.hdl.arith.window_place import WindowTerm
from tilewright.hdl.structure import named


def window_layout(width: int) -> data.StructLayout:
    """What an accumulator holds in ``width + 3`` bits: the integer of its window and three flags, which stay."""
    return data.StructLayout({"integer": signed(width), "invalid": 1, "overflow": 1, "underflow": 1})


def window_step(m: Module, terms: Sequence[WindowTerm], name: str = "step") -> WindowTerm:
    """The exact sum of ``terms``, as many as a power of two, and the flags of all; combinational.

    Each level of adders takes one bit more.
    """
    level = list(terms)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [_pair(m, a, b, f"{name}_of_{len(level)}_{index}") for index, (a, b) in enumerate(pairs)]
    return level[0]


def _pair(m: Module, a: WindowTerm, b: WindowTerm, name: str) -> WindowTerm:
    # Beside the 1, the carry of a enters this adder; that of b is left for the next.
    total = named(m, a.bits + Cat(Const(1, 1), b.bits[1:]).as_signed(), f"{name}_total")
    return WindowTerm(
        Cat(b.bits[0], total[1:]).as_signed(), a.invalid | b.invalid, a.overflow | b.overflow, a.underflow | b.underflow
    )


def window_accumulate(m: Module, start: Value, step: WindowTerm, width: int) -> data.View:
    """``start + step`` in a window of ``width`` bits; combinational.

    The integer is modulo ``2**width``. The flags are those of both; overflow is also set where the true sum is
    another one. ``start`` and the result are as ``window_layout`` says.
    """
    layout = window_layout(width)
    before, total = data.View(layout, start), Signal(layout, name="total")
    reach = max(width + 1, len(step.bits) - 1)
    # One adder of one bit more: beside a 1, the step's bit 0 is its carry.
    exact = Signal(signed(reach + 1), name="exact")
    m.d.comb += exact.eq(Cat(Const(1, 1), before.integer).as_signed() + step.bits)
    above = exact[width:]
    m.d.comb += [
        total.integer.eq(exact[1 : width + 1]),
        total.invalid.eq(before.invalid | step.invalid),
        total.overflow.eq(before.overflow | step.overflow | (above.any() & ~above.all())),
        total.underflow.eq(before.underflow | step.underflow),
    ]
    return total
