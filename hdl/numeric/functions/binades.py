"""The reduction by binades: each binade of the operand has segments of its own, as many as it needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric.functions.lookup import Lookup
from tilewright.hdl.numeric.functions.operand import FRACTION, Operand

Integers = NDArray[np.int64]

GUARD = 2
"""Fraction bits beyond an operand's that tell ties from what lies beside them."""


@dataclass(frozen=True)
class Row:
    """Operands of one sign and binade: ``2**index_bits`` segments from ``base`` on."""

    negative: bool
    exponent: int
    index_bits: int
    base: int


@dataclass(frozen=True)
class Binades:
    """Of tanh and gelu, whose graph is a line at 0 and far from it, and neither periodic nor a power between.

    Rows come with the most segments first, so that the bases are multiples of their numbers and an address is put
    together without an adder. Segment ``i`` has the exponent ``exponents[i]``, that of its least value, or
    ``floor`` where that is lower; ``point`` are the fraction bits of what is interpolated.

    Below the rows the result is x (tanh) or x/2 (gelu), beside a tie on the right side of it. Above them it is 1 with
    the sign of x (tanh), or x and -0 (gelu). A function without rows of negative operands (tanh) is odd.
    """

    name: str
    rows: tuple[Row, ...]
    exponents: tuple[int, ...]
    point: int
    floor: int

    @property
    def segments(self) -> int:
        """Segments of the table."""
        return len(self.exponents)

    @property
    def odd(self) -> bool:
        """Whether negative operands use the rows of positive ones."""
        return self.name == "tanh"

    @property
    def halved(self) -> int:
        """Places that the line at 0 shifts x by."""
        return 0 if self.odd else 1

    @cached_property
    def extent(self) -> dict[bool, tuple[int, int]]:
        """Lowest and highest exponent of the rows of each sign; they have no gaps."""
        found = {}
        for negative in (False, True):
            exponents = [row.exponent for row in self.rows if row.negative == (negative and not self.odd)]
            found[negative] = min(exponents), max(exponents)
        return found

    def line_at_zero(self, operand: Operand) -> tuple[Integers, Integers]:
        """Magnitude and places of what lies between x, or x/2, and its next neighbour."""
        # tanh is below x; gelu is above x/2 where x is positive, and its magnitude below where x is negative.
        beside = np.where(operand.negative | self.odd, -1, 1)
        return (operand.significand << GUARD) + beside, operand.exponent - FRACTION - GUARD - self.halved

    def beyond(self, operand: Operand) -> tuple[Integers, Integers]:
        """Magnitude and places of what comes above the rows."""
        if self.odd:
            return np.ones_like(operand.exponent), np.zeros_like(operand.exponent)
        return np.where(operand.negative, 0, operand.significand), operand.exponent - FRACTION

    def lookup(self, operand: Operand) -> Lookup:
        """Where to look."""
        index, offset = np.zeros_like(operand.exponent), np.zeros_like(operand.exponent)
        for row in self.rows:
            here = (operand.exponent == row.exponent) & (self.odd | (operand.negative == row.negative))
            shift = FRACTION - row.index_bits
            index = np.where(here, row.base + (operand.fraction >> shift), index)
            offset = np.where(here, operand.fraction & ((1 << shift) - 1), offset)
        lowest, highest = (
            np.where(operand.negative, self.extent[True][end], self.extent[False][end]) for end in (0, 1)
        )
        near, far = operand.exponent < lowest, operand.exponent > highest
        exponents = np.array(self.exponents, dtype=np.int64)[index]
        (line, line_places), (end, end_places) = self.line_at_zero(operand), self.beyond(operand)
        return Lookup(
            index,
            offset,
            np.where(near | far, 0, 1),
            np.where(near, line, np.where(far, end, 0)),
            np.where(near, line_places, np.where(far, end_places, exponents - self.point)),
            operand.negative,
            np.where(exponents > self.floor, 1 << self.point, 0),
        )
