"""The fewest segments of each binade."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric.codes import encode, encode_scaled
from tilewright.hdl.numeric.functions.binades import Binades, Row
from tilewright.hdl.numeric.functions.fit import Problem
from tilewright.hdl.numeric.functions.lines import Strip
from tilewright.hdl.numeric.functions.operand import FRACTION, Operand
from tilewright.hdl.numeric.functions.table import Table

Integers = NDArray[np.int64]

_Line = tuple[int, int, int]
"""Constant, slope, exponent."""


def fit_binades(problem: Problem, point: int, drop: int, widest: int = FRACTION) -> tuple[Binades, Table] | None:
    """Reduction and table with the fewest segments for each binade, or None where 2**``widest`` do not do."""
    name, floor = problem.function.name, problem.out.emin
    odd = Binades(name, (), (), point, floor).odd
    found: list[tuple[bool, int, list[_Line]]] = []
    for negative in (False,) if odd else (False, True):
        for exponent in _exponents(problem, point, negative):
            here = (problem.operand.negative == negative) & (problem.operand.exponent == exponent)
            lines = _fewest(problem, np.flatnonzero(here), point, drop, widest)
            if lines is None:
                return None
            found.append((negative, exponent, lines))
    found.sort(key=lambda each: -len(each[2]))  # stable: then by sign and exponent
    rows, base = [], 0
    for negative, exponent, lines in found:
        rows.append(Row(negative, exponent, len(lines).bit_length() - 1, base))
        base += len(lines)
    constants, slopes, exponents = zip(*(entry for _, _, lines in found for entry in lines), strict=True)
    return Binades(name, tuple(rows), exponents, point, floor), Table(constants, slopes, drop)


def _exponents(problem: Problem, point: int, negative: bool) -> range:
    """Binades of normal numbers in which neither the line at 0 nor what comes far from it will do."""
    function = Binades(problem.function.name, (), (), point, problem.out.emin)
    here = problem.operand.negative == negative
    operand = Operand(problem.operand.negative[here], problem.operand.exponent[here], problem.operand.significand[here])
    exponents = []
    for magnitude, places in (function.line_at_zero(operand), function.beyond(operand)):
        codes = encode_scaled(False, magnitude.astype(np.uint64), places, problem.out)
        wrong = codes != encode(np.abs(problem.values[here]), problem.out)
        exponents.append(operand.exponent[wrong])
    return range(int(exponents[0].min()), int(exponents[1].max()) + 1)


def _fewest(problem: Problem, members: Integers, point: int, drop: int, widest: int) -> list[_Line] | None:
    """The lines of the binade whose operands are ``members``, ascending."""
    fractions = problem.operand.fraction[members]
    for index_bits in range(widest + 1):
        shift = FRACTION - index_bits
        lines = []
        for part in range(1 << index_bits):
            inside = fractions >> shift == part
            found = _line(problem, members[inside], fractions[inside] & ((1 << shift) - 1), point, drop)
            if found is None:
                break
            lines.append(found)
        else:
            return lines
    return None


def _line(problem: Problem, members: Integers, offsets: Integers, point: int, drop: int) -> _Line | None:
    """A line through the operands ``members``, with the exponent of their least value."""
    least = np.abs(problem.values[members]).min()
    exponent = max(int(np.frexp(least)[1]) - 1, problem.out.emin)
    first, last = problem.target.at(members).between(exponent - point)
    if exponent > problem.out.emin:
        first = np.maximum(first, 1 << point)
    found = Strip.of(offsets, first, np.minimum(last, (4 << point) - 1)).line(drop)
    return None if found is None else (*found, exponent)
