"""What products of matrices of floats are, from the definition: an oracle that shares nothing with what it judges.

Codes are taken apart by their bit fields, here and nowhere else. Every number is a float64 that is exact: a product of
two operands has at most 22 significant bits and lies between 2**-266 and 2**256, an accumulator has 24.

**One rounding a step** (`fp32_sum`). Let x be the exact sum of two numbers, s the float64 nearest to it and e = x - s,
which Dekker's Fast2Sum gives exactly, as the larger one comes first and nothing overflows or vanishes. Rounding to fp32
changes only at the midpoints m between neighbours (2**128 counts as the number after the largest), and each m is a
float64. Rounding to float64 never turns an order around: x >= m gives s >= m, and x <= m gives s <= m. So s < m means
x < m, s > m means x > m, and s rounds as x does unless s = m. Then the sign of e says on which side of m x lies, and
e = 0 that it is a tie, which goes to the even neighbour. `_nearest` finds the neighbours of s by scaling with a power
of two, so that they are whole numbers.

Windows are integers: significands and exponents, shifted, without a float at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]

FIELDS = {
    "bf16": (8, 7, True),
    "fp16": (5, 10, True),
    "fp32": (8, 23, True),
    "fp8_e4m3": (4, 3, False),
    "fp8_e5m2": (5, 2, True),
}
"""Bits of exponent and of fraction, and whether the highest exponent is that of infinities and NaNs."""

NAN = 0x7FC00000
INVALID, OVERFLOW, UNDERFLOW = 0, 1, 2
"""Flags of a window: places of their bits above its own."""


class Parts(NamedTuple):
    """Numbers as ``sign * significand * 2**exponent``; of what is not finite those mean nothing."""

    sign: Codes
    significand: Codes
    exponent: Codes
    infinite: Masks
    nan: Masks

    def at(self, index: Any) -> Parts:
        """The numbers at an index of arrays."""
        return Parts(
            self.sign[index], self.significand[index], self.exponent[index], self.infinite[index], self.nan[index]
        )


def parts(name: str, codes: ArrayLike) -> Parts:
    """Codes of the format ``name`` taken apart."""
    exponent_bits, fraction_bits, infinities = FIELDS[name]
    array = np.asarray(codes, dtype=np.int64)
    field, fraction = array >> fraction_bits & ((1 << exponent_bits) - 1), array & ((1 << fraction_bits) - 1)
    ones = (1 << exponent_bits) - 1
    bias = ones >> 1
    highest = (field == ones) if infinities else (field == ones) & (fraction == (1 << fraction_bits) - 1)
    significand = fraction | (field > 0).astype(np.int64) << fraction_bits
    return Parts(
        1 - 2 * (array >> (exponent_bits + fraction_bits) & 1),
        significand,
        np.maximum(field, 1) - bias - fraction_bits,
        highest & infinities & (fraction == 0),
        highest & ((fraction != 0) | (not infinities)),
    )


def values(name: str, codes: ArrayLike) -> Floats:
    """Values of codes of the format ``name``."""
    p = parts(name, codes)
    finite = np.ldexp(p.significand.astype(np.float64), p.exponent.astype(np.int32))
    return np.where(p.nan, np.nan, np.copysign(np.where(p.infinite, np.inf, finite), p.sign))


def float_product(formats: tuple[str, str], a: Codes, b: Codes, start: Codes, vector: int = 1) -> Codes:
    """Codes of fp32 of ``start + a @ b``: a chain over k ascending from ``start`` on, in steps of ``vector`` k.

    The exact products of a step meet in a balanced tree of which each node rounds to fp32; what is absent passes on
    what it would meet as it is. The outcome is added to the chain, and that rounds once more. All NaNs are one.
    """
    left, right = values(formats[0], a), values(formats[1], b)
    total = np.broadcast_to(values("fp32", start), (a.shape[0], b.shape[1]))
    for first in range(0, a.shape[1], vector):
        with np.errstate(invalid="ignore"):
            leaves = [left[:, k, None] * right[k] for k in range(first, min(first + vector, a.shape[1]))]
        while len(leaves) > 1:
            pairs = [leaves[i : i + 2] for i in range(0, len(leaves), 2)]
            leaves = [pair[0] if len(pair) == 1 else fp32_sum(*pair) for pair in pairs]
        total = fp32_sum(total, leaves[0])
    exact = total.astype(np.float32)
    return np.where(np.isnan(total), NAN, exact.view(np.uint32).astype(np.int64))


def window_product(
    formats: tuple[str, str], a: Codes, b: Codes, start: Codes, width: int, point: int, vector: int = 1
) -> Codes:
    """Codes of windows of ``width`` bits, at most 58: ``start + a @ b`` modulo ``2**width`` in units of ``2**-point``.

    Each product is rounded to the nearest unit alone, ties away from zero. Flags are above: invalid (a factor was not
    finite; it adds nothing), overflow (a product, or the sum after a step of ``vector`` products, which come to at most
    16, lay outside), underflow (a product was no whole number of units).
    """
    lowest, units = -(1 << (width - 1)), (1 << width) - 1
    left, right = parts(formats[0], a), parts(formats[1], b)
    begin = np.broadcast_to(start, (a.shape[0], b.shape[1]))
    flags = [begin >> (width + place) & 1 > 0 for place in (INVALID, OVERFLOW, UNDERFLOW)]
    total = ((begin & units) ^ -lowest) + lowest
    for first in range(0, a.shape[1], vector):
        step = total.copy()
        for k in range(first, min(first + vector, a.shape[1])):
            placed, found = _placed(left.at((slice(None), k, None)), right.at(k), width, point)
            step += placed
            flags = [old | new for old, new in zip(flags, found, strict=True)]
        total = ((step - lowest) & units) + lowest
        flags[OVERFLOW] = flags[OVERFLOW] | (total != step)
    codes = total & units
    for place, flag in enumerate(flags):
        codes = codes | flag.astype(np.int64) << (width + place)
    return codes


def _placed(x: Parts, y: Parts, width: int, point: int) -> tuple[Codes, Sequence[Masks]]:
    """Products in a window, modulo its size, and their flags."""
    lowest, units = -(1 << (width - 1)), (1 << width) - 1
    finite = ~(x.infinite | x.nan | y.infinite | y.nan)
    size = np.where(finite, x.significand * y.significand, 0)
    up = x.exponent + y.exponent + point
    down = np.clip(-up, 1, 40)  # by so much and more nothing is left of 22 bits
    whole = np.where(up < 0, (size + (1 << (down - 1))) >> down, size)
    lost = (up < 0) & ((size & ((1 << down) - 1)) != 0)
    raised = np.maximum(up, 0)
    negative = x.sign * y.sign < 0
    length = np.frexp(whole.astype(np.float64))[1] + raised  # bits of the magnitude
    smallest = negative & (length == width) & (whole & (whole - 1) == 0)
    above = (whole > 0) & (length >= width) & ~smallest
    # Modulo 2**64, of which nothing is left beyond 63 places.
    bits = np.where(raised > 63, 0, np.where(negative, -whole, whole) << np.minimum(raised, 63))
    return ((bits - lowest) & units) + lowest, (~finite, above, lost)


def fp32_sum(x: Floats, y: Floats) -> Floats:
    """The fp32 values nearest to the exact ``x + y``; infinities, NaNs and signs of zeros are as IEEE 754 says."""
    with np.errstate(invalid="ignore"):
        total = np.asarray(x + y)
        larger = np.abs(x) >= np.abs(y)
        big, small = np.where(larger, x, y), np.where(larger, y, x)
        error = small - (total - big)
    return _nearest(total, np.where(np.isfinite(total), error, 0.0))


def _nearest(total: Floats, error: Floats) -> Floats:
    """The fp32 values nearest to ``total + error``, of which ``total`` is the nearest float64."""
    finite = np.isfinite(total)
    size = np.where(finite, np.abs(total), 0.0)
    outwards = np.where(total < 0, -error, error)
    place = np.maximum(np.frexp(size)[1], -125) - 24  # the unit in the last of 24 places, or of subnormal numbers
    scaled = np.ldexp(size, -place)
    below = np.floor(scaled)
    rest = scaled - below
    odd = below % 2 == 1
    up = (rest > 0.5) | ((rest == 0.5) & ((outwards > 0) | ((outwards == 0) & odd)))
    nearest = np.ldexp(below + up, place)
    nearest = np.where(nearest >= 2.0**128, np.inf, nearest)
    return np.where(finite, np.copysign(nearest, total), total)
