"""The one rounding of a result to a float."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed, unsigned
from amaranth.utils import ceil_log2

from tilewright.hdl.arith.functions.fixed import Fixed
from tilewright.hdl.numeric import FloatFormat
from tilewright.hdl.structure import data_register, named

LATENCY = 2
"""Cycles of ``round_float``."""


def round_float(
    m: Module,
    out: FloatFormat,
    fixed: Fixed,
    which: Value,
    negative: Value,
    magnitude: Value,
    top: Value,
    positions: int,
) -> Value:
    """The float of ``out`` nearest to ``magnitude``, negated where ``negative``, or the result ``which`` of ``fixed``.

    ``LATENCY`` cycles later, one a cycle: first the shift, then the rounding. Ties to even, subnormals kept, infinity
    beyond the largest number. ``top`` is the exponent of the highest bit of ``magnitude``, signed. What rounds to a
    normal number must have its leading one among the highest ``positions`` bits. Registers have no reset.
    """
    p = out.fraction_bits
    room = Signal(signed(len(top) + 2), name="room")
    m.d.comb += room.eq(top - out.emin)
    zeros = leading_zeros(m, magnitude[-positions:], "zeros")
    left = Signal(unsigned(len(zeros)), name="left")
    right = Signal(unsigned(ceil_log2(p + 3)), name="right")
    m.d.comb += [
        # No further than the exponent is above the lowest: what has leading zeros left is subnormal.
        left.eq(Mux(room < 0, 0, Mux(room < zeros, room[: len(left)], zeros))),
        # p + 2 places make anything less than half of the last one.
        right.eq(Mux(room >= 0, 0, Mux(room < -(p + 2), p + 2, (-room)[: len(right)]))),
    ]
    spare = p + 2 + max(0, p + 2 - len(magnitude))
    normal = named(m, (magnitude << left)[: len(magnitude)], "normal")
    shifted = named(m, Cat(Const(0, spare), normal) >> right, "shifted")
    field = named(m, Mux(room < 0, 0, room - left)[: len(room) - 1], "field")
    kept = data_register(m, shifted[-(p + 1) :], "kept")
    half = data_register(m, shifted[-(p + 2)], "half")
    below = data_register(m, shifted[: -(p + 2)].any(), "below")
    field, minus, which = (
        data_register(m, value, f"{name}_rounded")
        for name, value in (("field", field), ("negative", negative), ("which", which))
    )
    # A hidden bit, and a carry out of the fraction, add 1 to the field.
    rounded = named(m, (field << p) + kept + (half & (below | kept[0])), "rounded")
    over = named(m, rounded > out.largest_bits, "over")
    finite = Mux(over, out.sign_bit - (1 << p), rounded[: out.width - 1])
    return data_register(m, fixed.choose(m, which, Cat(finite, minus)), "result")


def leading_zeros(m: Module, value: Value, name: str) -> Signal:
    """How many of the highest bits of ``value`` are 0, at most all but one; combinational."""
    width = len(value)
    count = Signal(unsigned(max(1, ceil_log2(width))), name=name)
    m.d.comb += count.eq(width - 1)
    for zeros in reversed(range(width - 1)):
        with m.If(value[width - 1 - zeros]):
            m.d.comb += count.eq(zeros)
    return count
