"""Rectifiers: functions that leave operands as they are, or clear, clamp or scale them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.numeric.codes import Codes, encode, encode_scaled
from tilewright.hdl.numeric.floating import BF16, FloatFormat
from tilewright.hdl.numeric.whole import whole_numbers


def relu(bits: ArrayLike, fmt: FloatFormat = BF16) -> Codes:
    """``max(x, 0)``: +0 for -0 and all below, IEEE 754's ``maximum``; NaN becomes ``fmt.nan_bits``.

    Args:
        bits: codes of ``fmt``, a format with infinities, in any shape.
        fmt: format of operand and result.

    Returns:
        Codes of ``fmt`` in the shape of ``bits``.

    Raises:
        ValueError: something is not a code of ``fmt``, or it has no infinities.
    """
    return _clamped(bits, fmt, _infinity(fmt))


def relu6(bits: ArrayLike, fmt: FloatFormat = BF16) -> Codes:
    """``min(max(x, 0), 6)``; the rest is as in ``relu``."""
    _infinity(fmt)
    return _clamped(bits, fmt, int(encode(6.0, fmt)))


def leaky_relu(bits: ArrayLike, slope: int, fmt: FloatFormat = BF16) -> Codes:
    """``x``, or ``x * 2**-slope`` below 0: rounded to nearest even where it is subnormal; -0 and -infinity stay.

    Args:
        bits: codes of ``fmt``, a format with infinities, in any shape.
        slope: 1..fraction bits of ``fmt``, what x is halved by so many times.
        fmt: format of operand and result.

    Returns:
        Codes of ``fmt`` in the shape of ``bits``.

    Raises:
        ValueError: something is not a code of ``fmt``, another slope, or a format without infinities.
    """
    infinity = _infinity(fmt)
    nearest = min(max(slope, 1), fmt.fraction_bits)
    if slope != nearest:
        raise ValueError(f"slope must be 1..{fmt.fraction_bits}, got {slope}; nearest legal value is {nearest}")
    codes = whole_numbers(f"codes of {fmt}", bits, 0, (1 << fmt.width) - 1)
    magnitude = codes & (fmt.sign_bit - 1)
    field = magnitude >> fmt.fraction_bits
    significand = magnitude & ((1 << fmt.fraction_bits) - 1) | (field > 0).astype(np.int64) << fmt.fraction_bits
    places = np.maximum(field, 1) - 1 + fmt.last_place - slope
    scaled = encode_scaled(True, significand.astype(np.uint64), places, fmt)
    kept = (codes < fmt.sign_bit) | (magnitude == infinity)
    return np.where(magnitude > infinity, fmt.nan_bits, np.where(kept, codes, scaled)).astype(fmt.dtype)


def _infinity(fmt: FloatFormat) -> int:
    if fmt.infinity_bits is None:
        raise ValueError(f"format of a rectifier must have infinities, got {fmt}")
    return fmt.infinity_bits


def _clamped(bits: ArrayLike, fmt: FloatFormat, largest: int) -> Codes:
    codes: NDArray[np.int64] = whole_numbers(f"codes of {fmt}", bits, 0, (1 << fmt.width) - 1)
    clamped = np.where(codes >= fmt.sign_bit, 0, np.minimum(codes, largest))
    nan = (codes & (fmt.sign_bit - 1)) > _infinity(fmt)
    return np.where(nan, fmt.nan_bits, clamped).astype(fmt.dtype)
