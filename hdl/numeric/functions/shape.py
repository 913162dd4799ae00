"""The sizes of a function's table."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.hdl.numeric.functions.binades import GUARD, Binades
from tilewright.hdl.numeric.functions.fit import Problem
from tilewright.hdl.numeric.functions.fit_binades import fit_binades
from tilewright.hdl.numeric.functions.operand import FRACTION
from tilewright.hdl.numeric.functions.reduction import Fraction, Logarithm, Power
from tilewright.hdl.numeric.functions.table import Table

POWERS = ("exp", "sigmoid", "silu")
BINADES = ("tanh", "gelu")


@dataclass(frozen=True)
class Shape:
    """``2**index_bits`` segments a row, ``point`` fraction bits interpolated, ``drop`` of them not in the constants.

    ``step_bits`` are those of the power's fraction (exp, sigmoid, silu). In tanh and gelu every binade has the fewest
    segments that do, and ``index_bits`` are the most.
    """

    index_bits: int
    point: int
    drop: int
    step_bits: int = 0

    def solve(self, problem: Problem) -> Solution | None:
        """The table of this shape that solves ``problem``, or None where there is none.

        Raises ValueError for a shape that the function cannot have.
        """
        name = problem.function.name
        self._check(name)
        reduction: Fraction | Logarithm | Power
        if name in BINADES:
            found = fit_binades(problem, self.point, self.drop, self.index_bits)
            return None if found is None else Solution(*found)
        if name in POWERS:
            reduction = Power(name, self.index_bits, self.point, self.step_bits, problem.out.fraction_bits)
        elif name == "log2":
            reduction = Logarithm(self.index_bits, self.point)
        else:
            reduction = Fraction(name, self.index_bits, self.point)
        table = problem.solve(reduction, self.drop)
        return None if table is None else Solution(reduction, table)

    def _check(self, name: str) -> None:
        most = FRACTION + (name in ("sqrt", "rsqrt"))
        least_point = FRACTION + GUARD if name in BINADES else 1  # the line at 0 goes where the table's values go
        for field, value, low, high in (
            ("step_bits", self.step_bits, 2, 24) if name in POWERS else ("step_bits", self.step_bits, 0, 0),
            ("index_bits", self.index_bits, 1, self.step_bits - 1 if name in POWERS else most),
            ("point", self.point, least_point, 32),
            ("drop", self.drop, 0, self.point),
        ):
            nearest = min(max(value, low), high)
            if value != nearest:
                raise ValueError(
                    f"{field} of {name} must be {low}..{high}, got {value}; nearest legal value is {nearest}"
                )


@dataclass(frozen=True)
class Solution:
    """A reduction and the table it needs."""

    reduction: Fraction | Logarithm | Power | Binades
    table: Table

    @property
    def exponent_bits(self) -> int:
        """Bits that tell a segment's exponent, where the table has it."""
        if not isinstance(self.reduction, Binades):
            return 0
        return (max(self.reduction.exponents) - min(self.reduction.exponents)).bit_length()

    @property
    def word_bits(self) -> int:
        """Bits of a segment: constant, slope, exponent."""
        return self.table.constant_bits + self.table.slope_bits + self.exponent_bits

    @property
    def bits(self) -> int:
        """Bits of the whole table."""
        return len(self.table) * self.word_bits
