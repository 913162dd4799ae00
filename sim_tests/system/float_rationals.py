"""Single results of products of floats by exact rational numbers: slow, and too plain to be wrong in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tilewright.sim_tests.hdl.numeric.exact import fused, value

Codes = NDArray[np.int64]


def rational_chain(formats: tuple[str, str], a: Codes, b: Codes, start: int, vector: int = 1) -> int:
    """The code of fp32 of ``start`` plus the dot product of two rows of codes, rounded once a step and a node."""
    total = start
    for first in range(0, len(a), vector):
        step = zip(a[first : first + vector], b[first : first + vector], strict=True)
        pairs = [(_of(formats[0], x), _of(formats[1], y)) for x, y in step]
        if len(pairs) == 1:
            total = fused("fp32", *pairs[0], value("fp32", total))
        else:
            total = fused("fp32", _tree(pairs), 1.0, value("fp32", total))
    return total


def rational_window(
    formats: tuple[str, str], a: Codes, b: Codes, start: int, width: int, point: int, vector: int = 1
) -> int:
    """The code of a window: of the integers and their three flags."""
    total = start & ((1 << width) - 1)
    total -= (total >> (width - 1)) << width
    invalid, overflow, underflow = (start >> (width + place) & 1 for place in range(3))
    for first in range(0, len(a), vector):
        for x, y in zip(a[first : first + vector], b[first : first + vector], strict=True):
            factors = _of(formats[0], x), _of(formats[1], y)
            if not np.isfinite(factors).all():
                invalid = 1
                continue
            exact = Fraction(factors[0]) * Fraction(factors[1]) * Fraction(2) ** point
            size = int(abs(exact) + Fraction(1, 2))
            whole = size if exact > 0 else -size
            underflow |= exact.denominator != 1
            overflow |= not _within(whole, width)
            total += _wrapped(whole, width)
        overflow |= not _within(total, width)
        total = _wrapped(total, width)
    return total % (1 << width) | invalid << width | overflow << (width + 1) | underflow << (width + 2)


def _tree(pairs: Sequence[tuple[float, float]]) -> float:
    """The balanced sum of at least two products, rounded at each node."""
    leaves: list[tuple[float, float]] = list(pairs)
    while len(leaves) > 1:
        joined: list[tuple[float, float]] = []
        for index in range(0, len(leaves), 2):
            if index + 1 == len(leaves):
                joined.append(leaves[index])
            else:
                # One product stays a pair of factors; that of the other is exact in float64.
                x, y = leaves[index + 1]
                joined.append((value("fp32", fused("fp32", *leaves[index], x * y)), 1.0))
        leaves = joined
    return leaves[0][0] * leaves[0][1]


def _within(number: int, width: int) -> bool:
    return -(1 << (width - 1)) <= number < 1 << (width - 1)


def _wrapped(number: int, width: int) -> int:
    half = 1 << (width - 1)
    return (number + half) % (1 << width) - half


def _of(name: str, code: int) -> float:
    return value(name, int(code))
