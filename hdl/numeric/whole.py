"""Integers in int64: taken from a caller or refused in a sentence, and parted from their signs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def whole_numbers(name: str, values: ArrayLike, low: int, high: int) -> NDArray[np.int64]:
    """``values`` as int64 in their shape; ``low`` and ``high`` are the least and the greatest that are legal.

    Raises:
        ValueError: something is no integer, or not within; ``name`` says of what.
    """
    array = np.asarray(values)
    if array.size:
        if array.dtype.kind not in "iu":
            raise ValueError(f"{name} must be integers of at most 64 bits, got an array of {array.dtype}")
        for extreme in (int(array.min()), int(array.max())):
            nearest = min(max(extreme, low), high)
            if extreme != nearest:
                raise ValueError(f"{name} must be {low}..{high}, got {extreme}; nearest legal value is {nearest}")
    return array.astype(np.int64)


def magnitudes(integers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Absolute values; that of -2**63 too."""
    return np.where(integers < 0, ~integers, integers).astype(np.uint64) + (integers < 0).astype(np.uint64)
