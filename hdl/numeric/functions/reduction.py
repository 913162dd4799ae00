"""Reductions of the operand to a place in a table of equal segments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric.functions.lookup import Lookup
from tilewright.hdl.numeric.functions.operand import FRACTION, Operand

Integers = NDArray[np.int64]

LARGE = 7
"""Exponent from which on every exponential overflows or underflows: 2**7 > 134 log(2)."""
_OVERFLOW = 2_000  # of places: beyond every format


class Reduction(Protocol):
    """A reduction with its parameters. ``point`` are the fraction bits of what is interpolated."""

    @property
    def point(self) -> int: ...

    @property
    def segments(self) -> int:
        """Segments of the table."""
        ...

    def lookup(self, operand: Operand) -> Lookup:
        """Where to look for finite operands that are not 0."""
        ...


@dataclass(frozen=True)
class Fraction:
    """Of reciprocal, sqrt, rsqrt: the leading bit is put in its place, the table is that of one or two binades.

    - reciprocal: ``2**-(e+1)`` times ``2/f``, f in [1, 2);
    - sqrt: ``2**(e>>1)`` times the root of f, f in [1, 4), the lowest bit of e leading the fraction;
    - rsqrt: ``2**-((e>>1)+1)`` times 2 over the root of f.

    ``index_bits`` leading bits of that place choose the segment.
    """

    name: str
    index_bits: int
    point: int

    @property
    def place_bits(self) -> int:
        """Bits that tell the place in the table."""
        return FRACTION if self.name == "reciprocal" else FRACTION + 1

    @property
    def segments(self) -> int:
        """Segments of the table."""
        return 1 << self.index_bits

    def lookup(self, operand: Operand) -> Lookup:
        """Where to look."""
        normal = operand.normal()
        place, exponent = normal.fraction, normal.exponent
        if self.name != "reciprocal":
            place, exponent = place | (exponent & 1) << FRACTION, exponent >> 1
        if self.name != "sqrt":
            exponent = -exponent - 1
        index, offset = split(place, self.place_bits - self.index_bits)
        one, none = np.ones_like(place), np.zeros_like(place)
        return Lookup(index, offset, one, none, exponent - self.point, normal.negative, one << self.point)


@dataclass(frozen=True)
class Logarithm:
    """Of log2: the exponent plus the logarithm of the fraction, which the table has with ``point`` fraction bits."""

    index_bits: int
    point: int

    @property
    def segments(self) -> int:
        """Segments of the table."""
        return 1 << self.index_bits

    def lookup(self, operand: Operand) -> Lookup:
        """Where to look."""
        normal = operand.normal()
        index, offset = split(normal.fraction, FRACTION - self.index_bits)
        below = normal.exponent < 0
        return Lookup(
            index,
            offset,
            np.where(below, -1, 1),
            np.abs(normal.exponent) << self.point,
            np.full_like(index, -self.point),
            below,
            np.zeros_like(index),
        )


@dataclass(frozen=True)
class Power:
    """Of exp, sigmoid, silu: ``t = x * log2(e) = n + f`` with ``step_bits`` fraction bits of f, rounded down.

    - exp: ``2**n`` times the table of ``2**f``;
    - sigmoid: the table has a row for each n from ``first_row`` to ``last_row``, those beyond are taken for the
      last; times ``2**(n-1)`` below 0, else 1/2;
    - silu: the same, times x.

    ``index_bits`` leading bits of f choose the segment of a row.
    """

    name: str
    index_bits: int
    point: int
    step_bits: int
    result_bits: int

    @property
    def constant_bits(self) -> int:
        """Fraction bits of log2(e): t, below 2**8, is then less than one step wrong."""
        return self.step_bits + 8

    @property
    def constant(self) -> int:
        """log2(e) with ``constant_bits`` fraction bits."""
        return round(math.log2(math.e) * (1 << self.constant_bits))

    @property
    def first_row(self) -> int:
        """From here on 2**n is less than a four-hundredth of the last place of 1 (``result_bits`` of fraction)."""
        return -(self.result_bits + 9) if self.name != "exp" else 0

    @property
    def last_row(self) -> int:
        """From here on the result is 1, or x to all of its digits."""
        if self.name == "exp":
            return 0
        return 2 + (max(self.result_bits, FRACTION) if self.name == "silu" else self.result_bits)

    @property
    def segments(self) -> int:
        """Segments of the table."""
        return (self.last_row - self.first_row + 1) << self.index_bits

    def lookup(self, operand: Operand) -> Lookup:
        """Where to look."""
        # The largest operands of the table have exponent LARGE - 1: there the product is as wide as it is.
        drop = self.constant_bits + FRACTION - self.step_bits - np.minimum(operand.exponent, LARGE - 1)
        steps = (operand.significand * self.constant) >> np.minimum(drop, 62)
        whole, place = split(np.where(operand.negative, ~steps, steps), self.step_bits)
        column, offset = split(place, self.step_bits - self.index_bits)
        row = np.clip(whole, self.first_row, self.last_row) - self.first_row
        one, none = np.ones_like(row), np.zeros_like(row)
        factor, addend, negative = one, none, np.zeros_like(operand.negative)
        exponent = whole if self.name == "exp" else np.where(operand.negative, whole - 1, -1)
        places = exponent - self.point
        large = operand.exponent >= LARGE
        # Beyond the table: 0, and of positive operands infinity, 1 or x.
        far, far_places = one, np.full_like(one, _OVERFLOW if self.name == "exp" else 0)
        if self.name == "silu":
            negative, factor = operand.negative, operand.significand
            places = places + operand.exponent - FRACTION
            far, far_places = operand.significand, operand.exponent - FRACTION
        return Lookup(
            row << self.index_bits | column,
            offset,
            np.where(large, 0, factor),
            np.where(large & ~operand.negative, far, addend),
            np.where(large, far_places, places),
            negative,
            one << self.point,
        )


def split(place: Integers, low_bits: int) -> tuple[Integers, Integers]:
    """``place`` without its low bits, rounded down, and those."""
    return place >> low_bits, place & ((1 << low_bits) - 1)
