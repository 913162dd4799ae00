"""The sum of two unpacked numbers, exact but for bits that only have to be known as not all zero."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from tilewright.hdl.arith.float_cuts import Cuts, Phase
from tilewright.hdl.arith.float_shift import shift_right
from tilewright.hdl.arith.float_unrounded import Unrounded
from tilewright.hdl.arith.unpacked import Unpacked, exponent_signal
from tilewright.hdl.numeric import FloatFormat
from tilewright.hdl.structure import named


def float_sum(m: Module, a: Unpacked, b: Unpacked, fmt: FloatFormat, cuts: Cuts, *, skip: bool = False) -> Unrounded:
    """``a + b``, of which ``float_round`` makes the code of ``fmt`` that is nearest to the exact sum.

    Args:
        m: where the logic goes, registers of phases "swap", "align" and "add" included.
        a, b: addends; subnormal numbers need not be normalised if their exponent is ``fmt.emin`` or below.
        fmt: format to which the sum will be rounded.
        cuts: registers.
        skip: ``b`` is a code of ``fmt``, not normalised, and where ``a`` is not present the sum is ``b``, bit for bit.

    The addend with the lower exponent is shifted right. It is subtracted from the other, never the reverse: a negative
    difference stays negative, and the rounding makes good for it, which takes neither a comparison nor a second adder.
    Below the significands there are so many bits that no bit falls out where zeros lead the sum and that the first
    bit behind the rounded ones never is the lowest, which stands for all that fell out.
    """
    width = max(len(a.significand), len(b.significand))
    slack = max(a.slack, b.slack)
    guards = max(slack + 1, slack + 2 + fmt.fraction_bits + 1 - width)
    # With this bias, the greater exponent is that of the sum's top bit, the carry, above ``fmt.emin``.
    bias = 1 - fmt.emin
    a = a.widened(width).rebased(m, bias, "a_exponent")
    b = b.widened(width).rebased(m, bias, "b_exponent")

    order = _order(m, a, b, skip)
    subtract = cuts("swap", named(m, order.a_sign ^ b.sign, "subtract"), "subtract")
    low, high = (b.low if skip else min(a.low, b.low)) + 1, max(a.high, b.high) + 1
    exponent = exponent_signal(low + bias - 1, high + bias - 1, "greater_exponent")
    m.d.comb += exponent.eq(Mux(order.first, a.exponent, b.exponent))
    exponent = cuts("add", cuts("align", cuts("swap", exponent, "exponent"), "exponent"), "exponent")
    bits, subtract = _added(m, a, b, order, subtract, guards, cuts)
    negative = named(m, bits[-1] & subtract, "negative")
    nan, infinite, sign = _exceptions(m, a, b, order, skip)
    kept = order.absent
    phases: tuple[Phase, ...] = ("swap", "align", "add")
    for phase in phases:
        nan, infinite = cuts(phase, nan, "nan"), cuts(phase, infinite, "infinite")
        sign, kept = cuts(phase, sign, "sign"), cuts(phase, kept, "kept")
    return Unrounded(
        sign=sign ^ (negative & ~infinite),
        zero_sign=sign & ~subtract,
        exponent=exponent,
        bits=bits,
        negative=negative,
        nan=nan,
        infinite=infinite,
        kept=kept,
        low=low,
        high=high,
        slack=len(bits),
        bias=bias - 1,
    )


@dataclass(frozen=True)
class _Order:
    """Which addend has the greater exponent: ``first``, ``a`` has; ``distance`` is the exponent of ``a`` less that of
    ``b``, ``lower`` its sign; ``a`` counts as 0 with the sign of ``b`` where it is ``absent``."""

    distance: Value
    lower: Value
    first: Value
    a_zero: Value
    a_sign: Value
    absent: Value


def _order(m: Module, a: Unpacked, b: Unpacked, skip: bool) -> _Order:
    span = max(a.high - b.low, b.high - a.low)
    distance = exponent_signal(-span, span, "distance")
    m.d.comb += distance.eq(a.exponent - b.exponent)
    lower = named(m, distance[-1], "lower")
    a_zero = a.zero | ~a.present if skip else a.zero
    # An unnormalised subnormal ``b`` of the format has the least exponent there is: zero needs no attention.
    first = named(m, (~lower & ~a_zero) | (0 if skip else b.zero), "first")
    a_sign = Mux(a.present, a.sign, b.sign) if skip else a.sign
    return _Order(distance, lower, first, a_zero, a_sign, ~a.present if skip else Const(0, 1))


def _added(
    m: Module, a: Unpacked, b: Unpacked, order: _Order, subtract: Value, guards: int, cuts: Cuts
) -> tuple[Value, Value]:
    """The sum of the significands, and whether it was a difference; both behind phase "add"."""
    width, first, lower = len(a.significand), order.first, order.lower
    big = cuts("swap", named(m, Mux(first, a.significand, b.significand), "big"), "big")
    # ~distance is one less than the distance of a from b: a is one place further right to begin with.
    half = Const(0, 1)
    small = named(m, Mux(first, Cat(half, b.significand), Cat(a.significand, half)), "small")
    places = named(m, order.distance[:-1] ^ lower.replicate(len(order.distance) - 1), "places")
    # What is too far below is only told to be something, what is not present not even that.
    near = (width + guards).bit_length()
    far = named(m, places[near:].any() | order.absent, "far")
    beneath = cuts("swap", named(m, far & Mux(first, ~b.zero, ~order.a_zero), "beneath"), "beneath")
    small = cuts("swap", named(m, small & ~far.replicate(len(small)), "nearby"), "small")
    places = cuts("swap", places[:near], "places")
    shifted, fallen = shift_right(m, Cat(Const(0, guards - 1), small), places, "small")
    fallen = named(m, fallen | beneath, "fallen")

    addend = Cat(fallen, shifted, Const(0, 1)) ^ subtract.replicate(width + guards + 2)
    addend = cuts("align", named(m, addend, "addend"), "addend")
    big = cuts("align", big, "big")
    subtract = cuts("align", subtract, "subtract")
    total = Signal(width + guards + 3, name="total")
    # The lowest bit of the addition makes the carry that a subtraction begins with.
    m.d.comb += total.eq(Cat(Const(1, 1), Const(0, guards + 1), big, Const(0, 1)) + Cat(subtract, addend))
    bits = cuts("add", total[1:], "bits")
    return bits, cuts("add", subtract, "subtract")


def _exceptions(m: Module, a: Unpacked, b: Unpacked, order: _Order, skip: bool) -> tuple[Signal, Signal, Signal]:
    """Whether the sum is NaN, whether it is infinite, and its sign but for that of a negative difference."""
    nan = a.nan | b.nan | (a.infinite & b.infinite & (a.sign ^ b.sign))
    infinite = a.infinite | b.infinite
    sign = Mux(a.infinite, a.sign, Mux(b.infinite, b.sign, Mux(order.first, order.a_sign, b.sign)))
    if skip:
        nan, infinite = nan & a.present, infinite & a.present
        sign = Mux(a.present, sign, b.sign)
    return named(m, nan, "nan"), named(m, infinite, "infinite"), named(m, sign, "sign")
