"""Requantisation: from accumulators to the integers of the next layer, with a single rounding."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.hdl.numeric import IntFormat, saturate

MULTIPLIER_BITS = 31
LARGEST_SHIFT = 62  # what is left of a 64-bit product must keep its sign


def requantise(
    acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int, out: IntFormat
) -> NDArray[np.int64]:
    """``clamp(zero_point + round(acc * multiplier * 2**-shift))``, ties to even.

    Args:
        acc: accumulators, bias included, of at most 33 bits.
        multiplier: 0..2**31-1, for all or for each output channel (anything that broadcasts).
        shift: 0..62, likewise.
        zero_point: the integer that stands for 0.
        out: format of the result; all of its values are used.

    Returns:
        Values of ``out``, in the shape of ``acc``.
    """
    sums, factors, places = (np.asarray(part, dtype=np.int64) for part in (acc, multiplier, shift))
    for name, values, low, high in (
        ("acc", sums, -(1 << 32), (1 << 32) - 1),
        ("multiplier", factors, 0, (1 << MULTIPLIER_BITS) - 1),
        ("shift", places, 0, LARGEST_SHIFT),
    ):
        if values.size and not low <= values.min() <= values.max() <= high:
            raise ValueError(f"{name} must be {low}..{high}, got {values.min()}..{values.max()}")
    product = sums * factors
    below, half = product & ((np.int64(1) << places) - 1), (np.int64(1) << places) >> 1
    whole = product >> places
    up = (below > half) | ((below == half) & (whole & 1 == 1) & (places > 0))
    return saturate(whole + up + zero_point, out)


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
