"""The one rounding of a result to a float."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed, unsigned
from amaranth.utils import ceil_log2

from tilewright.hdl.arith.float_shift import leading_zeros
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
    bounds: tuple[int, int],
    positions: int,
) -> Value:
    """The float of ``out`` nearest to ``magnitude``, negated where ``negative``, or the result ``which`` of ``fixed``.

    ``LATENCY`` cycles later, one a cycle: first the shift, then the rounding. Ties to even, subnormals kept, infinity
    beyond the largest number. ``top`` is the exponent of the highest bit of ``magnitude``, signed, and lies in
    ``bounds`` unless the result is fixed. What rounds to a normal number must have its leading one among the highest
    ``positions`` bits. Registers have no reset.
    """
    p, (low, high) = out.fraction_bits, bounds
    # Where all of the others are 0, the last of the positions has the leading one.
    zeros = leading_zeros(m, Cat(Const(1, 1), magnitude[1 - positions :]), "zeros")
    room = Signal(signed(len(top) + 2), name="room")
    m.d.comb += room.eq(top - out.emin)
    subnormals = low - (positions - 1) < out.emin
    left = _left(m, room, zeros) if subnormals else zeros
    spare = Const(0, max(0, p + 3 - len(magnitude)))
    shifted = Cat(spare, named(m, (magnitude << left)[: len(magnitude)], "normal"))
    field = room - left
    if subnormals:
        # p + 2 places leave less than half of a last place.
        most = min(max(out.emin - low, 1), p + 2)
        shifted = named(m, Cat(Const(0, most), shifted) >> _right(m, room, most), "shifted")
        field = Mux(room < 0, 0, field)
    kept = data_register(m, shifted[-(p + 1) :], "kept")
    half = data_register(m, shifted[-(p + 2)], "half")
    below = data_register(m, shifted[: -(p + 2)].any(), "below")
    field, minus, which = (
        data_register(m, value, f"{name}_rounded")
        for name, value in (("field", field[: len(room) - 1]), ("negative", negative), ("which", which))
    )
    # A hidden bit, and a carry out of the fraction, add 1 to the field.
    rounded = named(m, (field << p) + kept + (half & (below | kept[0])), "rounded")
    finite = rounded[: out.width - 1]
    if high >= out.emax:
        finite = Mux(rounded > out.largest_bits, out.sign_bit - (1 << p), finite)
    return data_register(m, fixed.choose(m, which, Cat(finite, minus)), "result")


def _left(m: Module, room: Value, zeros: Value) -> Value:
    """Places to shift by: no further than the exponent is above the lowest, what has zeros left is subnormal."""
    left = Signal(unsigned(len(zeros)), name="left")
    m.d.comb += left.eq(Mux(room < 0, 0, Mux(room < zeros, room[: len(left)], zeros)))
    return left


def _right(m: Module, room: Value, most: int) -> Value:
    """Places to shift by where the exponent is below the lowest, at most ``most``."""
    right = Signal(unsigned(ceil_log2(most + 1)), name="right")
    m.d.comb += right.eq(Mux(room >= 0, 0, Mux(room < -most, most, (-room)[: len(right)])))
    return right
