"""The elementary functions on the real line, in float64: what tables are derived from and errors measured against.

Values are wrong by less than 2**-44 of themselves. None lies closer to the middle of two neighbouring results in bf16
than 2**-22 of their distance, but for the exact ones, which need no table, and those beside x and x/2, which are put on
their side of it here. So tables are the same wherever they are derived, and what is nearest is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def reciprocal(x: Floats) -> Floats:
    """``1 / x``."""
    return 1.0 / x


def rsqrt(x: Floats) -> Floats:
    """``1 / sqrt(x)``."""
    return 1.0 / np.sqrt(x)


def sigmoid(x: Floats) -> Floats:
    """``1 / (1 + exp(-x))``, without cancellation on either side."""
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1.0) / (1.0 + small)


def tanh(x: Floats) -> Floats:
    """``tanh(x)``; nearer to 0 than x is, always."""
    return _beside(np.tanh(x), x, np.zeros_like(x))


def silu(x: Floats) -> Floats:
    """``x * sigmoid(x)``; above x/2, always."""
    return _beside(x * sigmoid(x), x / 2, np.full_like(x, np.inf))


def gelu(x: Floats) -> Floats:
    """``x * erfc(-x / sqrt(2)) / 2``, the exact form; above x/2, always."""
    return _beside(x * _erfc(-x / math.sqrt(2)) / 2, x / 2, np.full_like(x, np.inf))


def _beside(values: Floats, limits: Floats, towards: Floats) -> Floats:
    """``values``, those that float64 does not tell from the limit they come near to put on their side of it."""
    return np.where((values == limits) & (limits != 0), np.nextafter(values, towards), values)


def quietly(function: Callable[[Floats], Floats], x: Floats) -> Floats:
    """``function(x)`` without warnings of what overflows, underflows or is not defined."""
    with np.errstate(all="ignore"):
        return function(x)
