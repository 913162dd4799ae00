"""Requantisation: from accumulators to the integers of the next layer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.numeric.integer import IntFormat, saturate
from tilewright.hdl.numeric.whole import whole_numbers

Integers: TypeAlias = NDArray[np.int64]
Rounding: TypeAlias = Literal["half_even", "half_away", "double_rounding"]

ACC_BITS = 33
MULTIPLIER_BITS = 31
LARGEST_SHIFT = 62  # what is left of a 64-bit product must keep its sign
LARGEST_OUT_BITS = 32  # with its zero point added, a product of 64 bits must still fit in 64
_HIGH_PART = 31  # bits that double rounding drops first


def requantise(
    acc: ArrayLike,
    multiplier: ArrayLike,
    shift: ArrayLike,
    zero_point: int,
    out: IntFormat,
    rounding: Rounding = "half_even",
) -> Integers:
    """``clamp(zero_point + round(acc * multiplier * 2**-shift))``: the product is exact, its rounding is

    - ``half_even``: to the nearest integer, ties to the even one;
    - ``half_away``: to the nearest integer, ties away from zero;
    - ``double_rounding``: TensorFlow Lite's reference, which may end 1 beside the nearest. 31 places are dropped
      first, ties upwards, then the rest of ``shift``, ties away from zero. A ``shift`` below 31 (a left shift there)
      is one rounding, ties upwards.

    Args:
        acc: accumulators, bias included, of at most 33 bits; the last axis is that of output channels.
        multiplier: 0..2**31-1, one for all or one for each output channel.
        shift: 0..62, likewise.
        zero_point: the value of ``out`` that stands for 0.
        out: format of the result, of at most 32 bits; all of its values are used.
        rounding: as above.

    Returns:
        Values of ``out``, in the shape of ``acc``.

    Raises:
        ValueError: a value outside its range, or another number of channels than ``acc`` has.
    """
    if rounding not in _ROUNDINGS:
        raise ValueError(f"rounding must be one of {', '.join(_ROUNDINGS)}, got {rounding!r}")
    if out.width > LARGEST_OUT_BITS:
        nearest = IntFormat(LARGEST_OUT_BITS, out.signed)
        raise ValueError(f"out must be of at most {LARGEST_OUT_BITS} bits, got {out}; nearest legal value is {nearest}")
    sums = whole_numbers("acc", acc, -(1 << (ACC_BITS - 1)), (1 << (ACC_BITS - 1)) - 1)
    factors = _per_channel("multiplier", multiplier, (1 << MULTIPLIER_BITS) - 1, sums)
    places = _per_channel("shift", shift, LARGEST_SHIFT, sums)
    zero = whole_numbers("zero_point", zero_point, out.min, out.max)
    if zero.ndim:
        raise ValueError(f"zero_point must be one integer, got an array of shape {zero.shape}")
    return saturate(_ROUNDINGS[rounding](sums * factors, places) + zero, out)


def fixed_point(scale: float) -> tuple[int, int]:
    """(multiplier, shift) whose ``multiplier * 2**-shift`` is nearest to ``scale``, with all 31 bits in use.

    Raises ValueError unless ``2**-32 <= scale`` and its multiplier needs no left shift (``scale < 2**31``).
    """
    mantissa, exponent = math.frexp(scale)
    multiplier = round(mantissa * (1 << MULTIPLIER_BITS))
    if multiplier == 1 << MULTIPLIER_BITS:
        multiplier, exponent = multiplier // 2, exponent + 1
    shift = MULTIPLIER_BITS - exponent
    if not (scale > 0 and 0 <= shift <= LARGEST_SHIFT):
        raise ValueError(f"scale must be at least 2**-32 and below 2**31, got {scale}")
    return multiplier, shift


def _per_channel(name: str, values: ArrayLike, largest: int, sums: Integers) -> Integers:
    """``values``, one for all or one for each element of the last axis of ``sums``, or ValueError."""
    array = whole_numbers(name, values, 0, largest)
    if array.shape not in ((), sums.shape[-1:]):
        channels = f"{sums.shape[-1]} channels" if sums.ndim else "no channels"
        raise ValueError(
            f"{name} must be one integer or one for each of {channels}, got an array of shape {array.shape}"
        )
    return array


def _part(values: Integers, places: Integers) -> tuple[Integers, Integers, Integers]:
    """``values * 2**-places`` rounded down; what is left; half of a place, out of reach where nothing is dropped."""
    place = np.int64(1) << places
    return values >> places, values & (place - 1), np.maximum(place >> 1, 1)


def _half_even(values: Integers, places: Integers) -> Integers:
    """``values * 2**-places`` rounded."""
    whole, left, half = _part(values, places)
    return whole + np.where(left == half, whole & 1, left > half)


def _half_away(values: Integers, places: Integers) -> Integers:
    """``values * 2**-places`` rounded."""
    whole, left, half = _part(values, places)
    return whole + ((left > half) | ((left == half) & (values >= 0)))


def _double_rounding(values: Integers, places: Integers) -> Integers:
    """``values * 2**-places`` rounded twice."""
    first = np.minimum(places, _HIGH_PART)
    whole, left, half = _part(values, first)
    return _half_away(whole + (left >= half), places - first)


_ROUNDINGS: dict[Rounding, Callable[[Integers, Integers], Integers]] = {
    "half_even": _half_even,
    "half_away": _half_away,
    "double_rounding": _double_rounding,
}
