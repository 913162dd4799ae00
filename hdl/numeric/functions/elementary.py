"""Elementary functions on bits: the integer model that hardware equals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from tilewright.hdl.numeric.codes import Codes, encode_scaled
from tilewright.hdl.numeric.floating import BF16, FloatFormat
from tilewright.hdl.numeric.functions.binades import Binades
from tilewright.hdl.numeric.functions.fit import Problem
from tilewright.hdl.numeric.functions.function import FUNCTIONS, OPERAND, Function
from tilewright.hdl.numeric.functions.operand import Operand
from tilewright.hdl.numeric.functions.reduction import Fraction, Logarithm, Power
from tilewright.hdl.numeric.functions.search import smallest
from tilewright.hdl.numeric.functions.shape import Shape
from tilewright.hdl.numeric.functions.table import Table
from tilewright.hdl.numeric.whole import whole_numbers

ERROR = 0.52
"""Largest error of every function, in units in the last place of the binade of the real result."""

SHAPES: Mapping[str, Shape] = {
    "exp": Shape(5, 18, 5, 12),
    "reciprocal": Shape(4, 12, 1),
    "rsqrt": Shape(5, 11, 0),
    "sqrt": Shape(4, 12, 0),
    "log2": Shape(6, 15, 1),
    "sigmoid": Shape(4, 17, 5, 12),
    "tanh": Shape(7, 13, 1),
    "silu": Shape(3, 19, 6, 12),
    "gelu": Shape(7, 14, 3),
}
"""What ``smallest`` finds for results in bf16 and ``ERROR``, remembered; a long test searches again."""


@dataclass(frozen=True)
class Elementary:
    """An elementary function of bf16, as tables and integers define it.

    Reduction of the operand, a straight line from ``table``, a factor or an addend, and one rounding to ``out``:
    nearest even, subnormals kept. One NaN comes out, ``out.nan_bits``. It is at most ``error`` units in the last place
    from the real result, for every operand.
    """

    function: Function
    out: FloatFormat
    error: float
    shape: Shape
    reduction: Fraction | Logarithm | Power | Binades
    table: Table
    word_bits: int

    @property
    def label(self) -> str:
        """A name that tells function, result and, where they are not those of ``SHAPES``, error and sizes."""
        name = f"{self.function.name}_{self.out}"
        if (self.out, self.error, self.shape) == (BF16, ERROR, SHAPES[self.function.name]):
            return name
        sizes = (self.shape.index_bits, self.shape.point, self.shape.drop, self.shape.step_bits)
        return "_".join([name, "error", f"{self.error:g}".replace(".", "_"), "shape", *map(str, sizes)])

    @property
    def words(self) -> tuple[int, ...]:
        """The table as hardware has it: constant, slope, and exponent above the least one, from the lowest bit on."""
        table, found = self.table, []
        exponents = self.reduction.exponents if isinstance(self.reduction, Binades) else (0,) * len(table)
        for constant, slope, exponent in zip(table.constants, table.slopes, exponents, strict=True):
            high = (exponent - min(exponents)) << table.slope_bits | slope & ((1 << table.slope_bits) - 1)
            found.append(high << table.constant_bits | constant)
        return tuple(found)

    def evaluate(self, bits: ArrayLike) -> Codes:
        """The function of codes of bf16.

        Args:
            bits: integers 0..2**16-1, in any shape.

        Returns:
            Codes of ``out``, in the shape of ``bits``.

        Raises:
            ValueError: something is not a code of bf16.
        """
        codes = whole_numbers(f"codes of {OPERAND}", bits, 0, (1 << OPERAND.width) - 1)
        fixed = self.function.fixed(codes, self.out)
        lookup = self.reduction.lookup(Operand.of(np.where(fixed < 0, codes, 0)))
        magnitude = lookup.factor * self.table.interpolate(lookup.index, lookup.offset) + lookup.addend
        rounded = encode_scaled(lookup.negative, np.maximum(magnitude, 0).astype(np.uint64), lookup.places, self.out)
        return np.where(fixed < 0, rounded, fixed).astype(self.out.dtype)


@cache
def elementary(name: str, out: FloatFormat = BF16, error: float = ERROR, shape: Shape | None = None) -> Elementary:
    """The function called ``name``, a key of ``FUNCTIONS``.

    Without ``shape`` the smallest table is searched for, which takes seconds to minutes unless ``SHAPES`` has it, that
    is for other results than bf16 and for other errors.

    Args:
        name: what it is called.
        out: format of the result, one with infinities.
        error: largest error, at least 0.5, in units in the last place.
        shape: sizes of the table, as a search has found them before.

    Returns:
        The function with its table.

    Raises:
        ValueError: another name, a format without infinities, a smaller error, or one that no table in range,
            or none of ``shape``, meets.
    """
    if name not in FUNCTIONS:
        raise ValueError(f"function must be one of {', '.join(FUNCTIONS)}, got {name!r}")
    if out.infinity_bits is None:
        raise ValueError(f"result of an elementary function must be of a format with infinities, got {out}")
    if not error >= 0.5:
        raise ValueError(f"error must be at least 0.5 units in the last place, got {error}; nearest legal value is 0.5")
    problem = Problem(FUNCTIONS[name], out, error)
    if shape is None:
        shape = SHAPES[name] if (out, error) == (BF16, ERROR) else smallest(problem)
    solution = shape.solve(problem)
    if solution is None:
        raise ValueError(f"shape must be one whose table meets {error} units in the last place of {out}, got {shape}")
    return Elementary(FUNCTIONS[name], out, error, shape, solution.reduction, solution.table, solution.word_bits)
