"""Products, sums and fused multiply-adds of any two or three float formats, with one rounding.

Why one rounding is all there is:

- A product of two values has at most 24 + 24 significant bits and lies between 2**-298 and 2**258: exact in float64.
- A sum of two such numbers s = fl(x + y) misses the exact sum by e, which Knuth's TwoSum gives exactly, as nothing
  comes near float64's limits. If e is not 0, the exact sum lies strictly between s and the float64 next to it on the
  side of e. Of these two neighbours one has an odd last bit; ``exact_sum`` returns that one.
- All points where the rounding to a format of at most 24 bits changes, ties and the step to overflow included, have
  at most 25 significant bits and are multiples of 2**-150: float64 numbers whose last bit is 0. None of them lies
  strictly between the same neighbours, so the odd one rounds as the exact sum does.

Signs of zeros, infinities and NaNs are those of float64's own operations, which are IEEE 754's for nearest even:
x - x is +0, and -0 only comes from -0 + -0 and from products.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.numeric.codes import Codes, Floats, Overflow, decode, encode
from tilewright.hdl.numeric.floating import FP32, FloatFormat

Pair = tuple[FloatFormat, FloatFormat]
Triple = tuple[FloatFormat, FloatFormat, FloatFormat]


def multiply(a: ArrayLike, b: ArrayLike, formats: Pair, out: FloatFormat = FP32, overflow: Overflow = "ieee") -> Codes:
    """The codes nearest to ``a * b``.

    Args:
        a, b: codes, of shapes that broadcast.
        formats: theirs, in this order; any.
        out: format of the result.
        overflow: as in ``encode``.

    Returns:
        Codes of ``out`` in the common shape.

    Raises:
        ValueError: something is not a code of its format, or another ``overflow``.
    """
    return encode(exact_product(decode(a, formats[0]), decode(b, formats[1])), out, overflow)


def add(a: ArrayLike, b: ArrayLike, formats: Pair, out: FloatFormat = FP32, overflow: Overflow = "ieee") -> Codes:
    """The codes nearest to ``a + b``; everything else as in ``multiply``."""
    return encode(exact_sum(decode(a, formats[0]), decode(b, formats[1])), out, overflow)


def fused_multiply_add(
    a: ArrayLike, b: ArrayLike, c: ArrayLike, formats: Triple, out: FloatFormat = FP32, overflow: Overflow = "ieee"
) -> Codes:
    """The codes nearest to ``a * b + c``, the product exact; everything else as in ``multiply``."""
    product = exact_product(decode(a, formats[0]), decode(b, formats[1]))
    return encode(exact_sum(product, decode(c, formats[2])), out, overflow)


def exact_product(x: Floats, y: Floats) -> Floats:
    """``x * y``, exact for values of any two formats; 0 times infinity is NaN."""
    with np.errstate(invalid="ignore"):
        return np.asarray(x * y)


def exact_sum(x: Floats, y: Floats) -> Floats:
    """A float64 that ``encode`` rounds to any format as it would the exact ``x + y``: rounded to odd.

    Args:
        x, y: values of any formats or products of two; shapes broadcast.
    """
    with np.errstate(invalid="ignore"):
        total = np.asarray(x + y)
        moved = total - x
        error = (x - (total - moved)) + (y - moved)
    raw = total.view(np.int64)
    away = np.where((error > 0) == (total > 0), 1, -1)  # the next float64 on the side of the error
    nudged = np.isfinite(total) & (error != 0) & (raw & 1 == 0)
    return np.asarray(raw + np.where(nudged, away, 0)).view(np.float64)


def rounded(values: Floats, fmt: FloatFormat) -> NDArray[np.float64]:
    """The values of ``fmt`` nearest to ``values``, as a register of that format would hold them."""
    if fmt == FP32:  # numpy's own, many times faster; it rounds as `encode` does, NaN payloads apart
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return np.asarray(values.astype(np.float32).astype(np.float64))
    return decode(encode(values, fmt), fmt)
