"""Windowed fixed point: the format ``fx<N>``, and which windows hold a product of which formats.

A window is an ``N``-bit two's-complement integer whose bit 0 weighs ``2**-point``. The binary point ``point`` is a
register: it is chosen at run time, the width is not.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from tilewright.hdl.numeric.floating import FloatFormat
from tilewright.hdl.numeric.whole import whole_numbers

_NAME = re.compile(r"fx([1-9][0-9]*)\Z")

LARGEST_WIDTH = 64
LARGEST_POINT = 512  # beyond, on either side, no bit of any product of two formats lies in any window


@dataclass(frozen=True, order=True)
class FxFormat:
    """A window of ``width`` bits (2..64). ``FxFormat.parse("fx48")`` and ``str(format)`` are inverse to each other."""

    width: int

    def __post_init__(self) -> None:
        if not 2 <= self.width <= LARGEST_WIDTH:
            nearest = min(max(self.width, 2), LARGEST_WIDTH)
            raise ValueError(
                f"window width must be 2..{LARGEST_WIDTH} bits, got {self.width}; nearest legal value is {nearest}"
            )

    @classmethod
    def parse(cls, name: str) -> FxFormat:
        """The format called ``name``: ``fx<N>``. Raises ValueError for any other name."""
        match = _NAME.match(name)
        if match is None:
            raise ValueError(f"format must be fx<N>, got {name!r}")
        return cls(int(match[1]))

    @property
    def min(self) -> int:
        """Smallest integer of the window."""
        return -(1 << (self.width - 1))

    @property
    def max(self) -> int:
        """Largest integer of the window."""
        return (1 << (self.width - 1)) - 1

    def __str__(self) -> str:
        return f"fx{self.width}"


def check_point(point: int) -> None:
    """Raises ValueError unless ``point`` is one integer -512..512."""
    if whole_numbers("point", point, -LARGEST_POINT, LARGEST_POINT).ndim:
        raise ValueError(f"point must be one integer, got an array of shape {np.shape(point)}")


def product_width(a: FloatFormat, b: FloatFormat) -> int:
    """Bits of the narrowest window that holds all significant bits of any one product, and its sign."""
    return (a.fraction_bits + 1) + (b.fraction_bits + 1) + 1


def check_width(fmt: FxFormat, a: FloatFormat, b: FloatFormat) -> None:
    """Raises ValueError if ``fmt`` is too small for one product of an ``a`` and a ``b``."""
    least = product_width(a, b)
    if fmt.width < least:
        raise ValueError(f"a window must hold one product of {a} and {b}, got {fmt}; nearest legal value is fx{least}")


def exact_point(a: FloatFormat, b: FloatFormat) -> int:
    """The least binary point at which no product of an ``a`` and a ``b`` has bits below the window."""
    return -(a.last_place + b.last_place)


def highest_point(fmt: FxFormat, a: FloatFormat, b: FloatFormat) -> int:
    """The greatest binary point at which each finite product of an ``a`` and a ``b`` alone stays in the window.

    Each point less doubles how many such products are sure to fit together. If it is at least ``exact_point(a, b)``,
    the window holds every product exactly. Raises ValueError if ``fmt`` is too small for one product.
    """
    check_width(fmt, a, b)
    largest_exponent = math.frexp(a.largest * b.largest)[1]
    return fmt.width - 1 - largest_exponent


def exact_width(a: FloatFormat, b: FloatFormat) -> int:
    """Bits of the narrowest window that holds every finite product exactly; it may exceed what a format may have."""
    return exact_point(a, b) + math.frexp(a.largest * b.largest)[1] + 1
