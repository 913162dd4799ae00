"""Two's-complement and unsigned integers: the formats and what accumulates in them exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

_NAME = re.compile(r"(u?)int([1-9][0-9]*)\Z")


@dataclass(frozen=True, order=True)
class IntFormat:
    """An integer format of ``width`` bits (1..64), two's complement when ``signed``.

    ``IntFormat.parse("uint4")`` and ``str(format)`` are inverse to each other.
    """

    width: int
    signed: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.width <= 64:
            raise ValueError(f"integer width must be 1..64 bits, got {self.width}")

    @classmethod
    def parse(cls, name: str) -> IntFormat:
        """The format called ``name``: ``int<N>`` or ``uint<N>``. Raises ValueError for any other name."""
        match = _NAME.match(name)
        if match is None:
            raise ValueError(f"format must be int<N> or uint<N>, got {name!r}")
        return cls(int(match[2]), not match[1])

    @property
    def min(self) -> int:
        """Smallest value."""
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def max(self) -> int:
        """Largest value."""
        return (1 << (self.width - self.signed)) - 1

    def __str__(self) -> str:
        return f"{'int' if self.signed else 'uint'}{self.width}"


def _signed_bits(low: int, high: int) -> int:
    """Bits of the narrowest two's-complement format that holds both ``low`` and ``high``."""
    return max((-low - 1).bit_length() if low < 0 else 0, high.bit_length()) + 1


def product_range(a: IntFormat, b: IntFormat) -> tuple[int, int]:
    """Smallest and largest product of an ``a`` and a ``b``."""
    corners = [x * y for x in (a.min, a.max) for y in (b.min, b.max)]
    return min(corners), max(corners)


def dot_bits(a: IntFormat, b: IntFormat, terms: int) -> int:
    """Bits of the narrowest signed format that holds every sum of ``terms`` products exactly."""
    low, high = product_range(a, b)
    return _signed_bits(low * terms, high * terms)


def safe_k(a: IntFormat, b: IntFormat, acc: IntFormat) -> int:
    """Longest chain of products, started from zero, that never leaves ``acc``."""
    low, high = product_range(a, b)
    limits = [acc.max // high] if high > 0 else []
    if low < 0:
        limits.append(-acc.min // -low)
    return min(limits)


def wrap(values: ArrayLike, fmt: IntFormat) -> NDArray[np.int64]:
    """``values`` (any integers) modulo 2**width, as int64 holding values of ``fmt`` (uint64 bits for uint64)."""
    bits = np.asarray(values).astype(np.int64)
    shift = 64 - fmt.width
    if fmt.signed:
        return (bits << shift) >> shift
    return ((bits.view(np.uint64) << np.uint64(shift)) >> np.uint64(shift)).view(np.int64)


def saturate(values: ArrayLike, fmt: IntFormat) -> NDArray[np.int64]:
    """``values`` clamped to the range of ``fmt``; they must be exact, that is fit in int64."""
    low, high = max(fmt.min, -(1 << 63)), min(fmt.max, (1 << 63) - 1)
    return np.clip(np.asarray(values).astype(np.int64), low, high)
