"""Division of two floats."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tilewright.hdl.numeric.codes import Codes, encode_scaled
from tilewright.hdl.numeric.floating import BF16, FloatFormat
from tilewright.hdl.numeric.whole import whole_numbers


def divide(a: ArrayLike, b: ArrayLike, fmt: FloatFormat = BF16) -> Codes:
    """``a / b``, correctly rounded: nearest even, subnormals kept, as IEEE 754 has it.

    0/0 and infinity/infinity are NaN, and so is what a NaN takes part in; another number over 0 is infinity. The
    significands' quotient is exact to two places below the last, and one more tells whether anything is left.

    Args:
        a: codes of ``fmt``, a format with infinities, in any shape.
        b: codes of ``fmt`` in a shape that goes with it.
        fmt: format of operands and result.

    Returns:
        Codes of ``fmt``.

    Raises:
        ValueError: something is not a code of ``fmt``, or it has no infinities.
    """
    if fmt.infinity_bits is None:
        raise ValueError(f"format of a division must have infinities, got {fmt}")
    left, right = np.broadcast_arrays(
        *(whole_numbers(f"codes of {fmt}", codes, 0, (1 << fmt.width) - 1) for codes in (a, b))
    )
    negative = (left ^ right) >= fmt.sign_bit
    (top, x), (bottom, y) = (_normal(codes & (fmt.sign_bit - 1), fmt) for codes in (left, right))
    precision = fmt.fraction_bits + 3  # the quotient's first bit may be one place lower
    quotient, rest = np.divmod(x << precision, np.maximum(y, 1))
    places = top - bottom - precision - 1
    codes = encode_scaled(negative, (quotient << 1 | (rest != 0)).astype(np.uint64), places, fmt).astype(np.int64)
    sign = np.where(negative, fmt.sign_bit, 0)
    left, right = left & (fmt.sign_bit - 1), right & (fmt.sign_bit - 1)
    infinity = fmt.infinity_bits
    codes = np.where((left == infinity) | (right == 0), sign | infinity, codes)
    codes = np.where((left == 0) | (right == infinity), sign, codes)
    undefined = (left == right) & ((left == 0) | (left == infinity))
    return np.where(undefined | (left > infinity) | (right > infinity), fmt.nan_bits, codes).astype(fmt.dtype)


def _normal(magnitude: np.ndarray, fmt: FloatFormat) -> tuple[np.ndarray, np.ndarray]:
    """Exponent of the last place, and significand with its leading bit in place; 0 stays 0."""
    field = magnitude >> fmt.fraction_bits
    hidden = (field > 0).astype(np.int64) << fmt.fraction_bits
    significand = magnitude & ((1 << fmt.fraction_bits) - 1) | hidden
    shift = fmt.fraction_bits + 1 - np.frexp(np.maximum(significand, 1).astype(np.float64))[1].astype(np.int64)
    return np.maximum(field, 1) - shift, significand << shift
