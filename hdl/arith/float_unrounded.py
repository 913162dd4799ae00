"""What is rounded: a number with all the bits that decide its rounding."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Const, Value

from tilewright.hdl.arith.float_cuts import Cuts, Phase
from tilewright.hdl.arith.unpacked import Unpacked


@dataclass(frozen=True)
class Unrounded:
    """A number before it is rounded, ``(-1)**sign * |bits| * 2**(exponent - bias - (width - 1))``.

    ``width`` is that of ``bits``.

    Args:
        sign: 1 bit; also of infinity.
        zero_sign: 1 bit; that of the number if it is 0.
        exponent: signed; ``exponent - bias`` is that of the top bit of ``bits``.
        bits: a two's-complement number of which the size counts, ``negative`` another bit above. The lowest bit may
            stand for any number of bits below it, too: it is set if one of them is.
        negative: 1 bit; may be constant.
        nan, infinite: 1 bit each; both may be set where NaN is meant.
        kept: 1 bit; the number is sure to be finite when it is rounded, or to be a code that does not change.
        low, high: bounds of ``exponent - bias`` where the number is not 0.
        slack: the most leading zeros of a number other than 0 whose exponent is above the least one of the result.
        bias: a constant, which saves adders.
    """

    sign: Value
    zero_sign: Value
    exponent: Value
    bits: Value
    negative: Value
    nan: Value
    infinite: Value
    kept: Value
    low: int
    high: int
    slack: int
    bias: int = 0


def unrounded(number: Unpacked, cuts: Cuts, phase: Phase, *, kept: bool = False) -> Unrounded:
    """``number``, made in ``phase``, to be rounded to a format; ``kept``: all numbers fit into that."""
    number = number.map(lambda value, field: cuts(phase, value, field))
    return Unrounded(
        sign=number.sign,
        zero_sign=number.sign,
        exponent=number.exponent,
        bits=number.significand,
        negative=Const(0, 1),
        nan=number.nan,
        infinite=number.infinite,
        kept=Const(int(kept), 1),
        low=number.low,
        high=number.high,
        slack=number.slack,
        bias=number.bias,
    )
