"""Conversions between float formats, and between them and integers, with one rounding to nearest even."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.numeric.codes import Codes, Overflow, decode, encode, encode_scaled
from tilewright.hdl.numeric.floating import FloatFormat
from tilewright.hdl.numeric.integer import IntFormat
from tilewright.hdl.numeric.whole import magnitudes, whole_numbers


def convert(bits: ArrayLike, source: FloatFormat, target: FloatFormat, overflow: Overflow = "ieee") -> Codes:
    """The codes of ``target`` nearest to codes of ``source``; NaN becomes the one of ``target``.

    Args:
        bits: codes of ``source``, in any shape.
        source: their format.
        target: format of the result.
        overflow: ``"ieee"`` (default): infinity, or NaN in a format without; ``"saturate"``: the largest finite
            value, for infinities too.

    Returns:
        Codes of ``target`` in the shape of ``bits``.

    Raises:
        ValueError: something is not a code of ``source``, or another ``overflow``.
    """
    return encode(decode(bits, source), target, overflow)


def to_integer(bits: ArrayLike, source: FloatFormat, target: IntFormat) -> NDArray[np.int64]:
    """The integers of ``target`` nearest to codes of ``source``, ties to even.

    What lies outside, infinities included, becomes the nearest integer of ``target``; NaN becomes 0.

    Args:
        bits: codes of ``source``, in any shape.
        source: their format.
        target: format of the result.

    Returns:
        Values of ``target`` in the shape of ``bits``.

    Raises:
        ValueError: something is not a code of ``source``, or ``target`` is uint64, which int64 does not hold.
    """
    _check(target)
    whole = np.rint(decode(bits, source))
    # int64's largest value is no float64, but one more than any format's largest is: it parts what fits from the rest.
    high, low = whole >= float(target.max + 1), whole < float(target.min)
    inside = np.where(high | low | np.isnan(whole), 0.0, whole).astype(np.int64)
    return np.where(high, target.max, np.where(low, target.min, inside))


def from_integer(values: ArrayLike, source: IntFormat, target: FloatFormat, overflow: Overflow = "ieee") -> Codes:
    """The codes of ``target`` nearest to integers, ties to even; 0 becomes +0.

    Args:
        values: values of ``source``, in any shape.
        source: their format.
        target: format of the result.
        overflow: as in ``convert``.

    Returns:
        Codes of ``target`` in the shape of ``values``.

    Raises:
        ValueError: something is not a value of ``source``, another ``overflow``, or ``source`` is uint64.
    """
    _check(source)
    integers = whole_numbers(f"values of {source}", values, source.min, source.max)
    return encode_scaled(integers < 0, magnitudes(integers), 0, target, overflow)


def _check(fmt: IntFormat) -> None:
    """Refuses the one format whose values int64 does not hold."""
    if fmt.max >> 63:
        raise ValueError(f"an integer format to convert must fit in int64, got {fmt}; nearest legal value is uint63")
