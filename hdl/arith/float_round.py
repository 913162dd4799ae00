"""The one rounding of all floating-point units, and the packing of its result."""

from __future__ import annotations

from typing import Literal

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from tilewright.hdl.arith.float_cuts import Cuts
from tilewright.hdl.arith.float_shift import leading_zeros, shift_left, shift_right_far
from tilewright.hdl.arith.float_sum import Unrounded
from tilewright.hdl.arith.unpacked import exponent_signal
from tilewright.hdl.numeric import FloatFormat
from tilewright.hdl.structure import named

Beyond = Literal["ieee", "saturate"]
"""What becomes of a number that rounds beyond the largest finite one: infinity, or NaN in a format without; or the
largest finite number, for infinity too."""


def float_round(m: Module, number: Unrounded, fmt: FloatFormat, cuts: Cuts, beyond: Beyond = "ieee") -> Value:
    """The code of ``fmt`` nearest to ``number``: ties to even, subnormals kept, NaN the one of ``fmt``.

    Registers of the phases "count", "shift" and "round" are inside.

    Leading zeros are shifted out, but no more than brings the exponent down to the least one: what still begins with
    a 0 then is subnormal. The hidden bit and the rounding are added to the packed code, so that a carry makes the next
    binade, the smallest normal number, or infinity. A negative number is rounded as its complement, which is 1 less
    than its size: ones are shifted in behind it, and the 1 is part of the rounding.
    """
    precision = fmt.fraction_bits + 1
    bits, negative, limit, most = _raised(m, number, fmt)
    magnitude = named(m, bits ^ negative.replicate(len(bits)), "magnitude")
    zeros = leading_zeros(m, magnitude, "zeros")
    nothing = named(m, ~magnitude.any(), "nothing")
    field = exponent_signal(-len(bits), most, "field")
    m.d.comb += field.eq(limit - zeros)
    bounded = named(m, field[-1] | nothing, "bounded")
    exact_zero = nothing & ~negative & ~number.infinite
    sign = Mux(exact_zero, number.zero_sign, number.sign) & ~number.nan
    places = cuts("count", named(m, Mux(bounded, limit[: len(zeros)], zeros), "places"), "places")
    field = cuts("count", named(m, field[:-1] & ~bounded.replicate(len(field) - 1), "above"), "field")
    magnitude = cuts("count", magnitude, "magnitude")
    negative = cuts("count", negative, "negative")
    flags = cuts("count", named(m, Cat(number.nan, number.infinite, sign, number.kept), "round_flags"), "flags")

    shifted = named(m, shift_left(magnitude, places, negative), "shifted")
    significand = shifted[-precision:]
    half = shifted[-precision - 1]
    rest = (shifted[: -precision - 1] ^ negative.replicate(len(shifted) - precision - 1)).any()
    odd = significand[0]
    up = named(m, Mux(negative, half | (odd & ~rest), half & (odd | rest)), "up")
    significand, up = cuts("shift", significand, "significand"), cuts("shift", up, "up")
    field = cuts("shift", field, "field")
    flags = cuts("shift", flags, "flags")
    nan, infinite, sign, kept = (flags[index] for index in range(4))

    code = Signal(max(len(field), fmt.exponent_bits) + fmt.fraction_bits + 1, name="code")
    m.d.comb += code.eq(Cat(Const(0, fmt.fraction_bits), field) + significand + up)
    largest, infinity = fmt.largest_bits, fmt.infinity_bits
    limit_code = largest if beyond == "saturate" else (fmt.nan_bits if infinity is None else infinity)
    over = infinite | ((code > largest) & ~kept)
    magnitude_bits = fmt.width - 1
    result = Signal(fmt.width, name="result")
    is_nan = nan | (over if limit_code == fmt.nan_bits else 0)
    m.d.comb += result.eq(
        Mux(is_nan, fmt.nan_bits, Cat(Mux(over, Const(limit_code, magnitude_bits), code[:magnitude_bits]), sign))
    )
    return cuts("round", result, "result")


def _raised(m: Module, number: Unrounded, fmt: FloatFormat) -> tuple[Value, Value, Value, int]:
    """Bits and sign with an exponent of at least ``fmt.emin``, how far it is above, and the most that can be."""
    most = max(number.high - fmt.emin, 0)
    limit = exponent_signal(min(number.low - fmt.emin, 0), most, "limit")
    m.d.comb += limit.eq(number.exponent - fmt.emin)
    padded = Cat(Const(0, max(fmt.fraction_bits + 3 - len(number.bits), 0)), number.bits)
    if number.low >= fmt.emin:
        return padded, number.negative, limit[:-1], most
    below = named(m, limit[-1], "below")
    places = named(m, Mux(below, (-limit)[: len(limit)], 0), "deficit")
    shifted, fallen = shift_right_far(m, padded, places, "lowered", number.negative)
    lowered = named(m, Cat(fallen, shifted), "lowered")
    return lowered, number.negative, named(m, limit[:-1] & ~below.replicate(len(limit) - 1), "above_least"), most
