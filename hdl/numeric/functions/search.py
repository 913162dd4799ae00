"""The smallest table that meets an error, by trial of all sensible sizes."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.hdl.numeric.functions.binades import GUARD
from tilewright.hdl.numeric.functions.fit import Problem
from tilewright.hdl.numeric.functions.operand import FRACTION
from tilewright.hdl.numeric.functions.shape import BINADES, POWERS, Shape

_MOST_INDEX_BITS = 8
_STEPS = range(3, 7)  # fraction bits of a power beyond those of the result
_POINTS = range(3, 13)  # fraction bits interpolated, likewise


def smallest(problem: Problem) -> Shape:
    """The shape whose table has the fewest bits; of several the first with the fewest ``point`` and segments.

    Seconds to a minute. Raises ValueError where no shape in range meets the error.
    """
    best: tuple[int, Shape] | None = None
    for family in _families(problem):
        if family.solve(problem) is None:
            continue  # what drops places is a part of what drops none
        for drop in range(family.point - 2, -1, -1):
            shape = Shape(family.index_bits, family.point, drop, family.step_bits)
            if best and _least_bits(problem, shape) >= best[0]:
                break  # smaller drops have more bits still
            found = shape.solve(problem)
            if found:
                if best is None or found.bits < best[0]:
                    best = found.bits, shape
                if problem.function.name not in BINADES:
                    break
    if best is None:
        raise ValueError(
            f"error of {problem.function.name} in {problem.out} must be larger than {problem.error} units in the "
            "last place for the tables that are tried"
        )
    return best[1]


def _families(problem: Problem) -> Iterator[Shape]:
    """Shapes that differ in more than ``drop``."""
    name, bits = problem.function.name, problem.out.fraction_bits
    extra = bits - 3 if name == "log2" else 0  # beside 1 it loses as many leading bits as a result has
    least = FRACTION + GUARD if name in BINADES else 0
    points = [point for point in (bits + extra + more for more in _POINTS) if point >= least]
    if name in BINADES:
        yield from (Shape(FRACTION, point, 0) for point in points)
        return
    most = FRACTION + (name in ("sqrt", "rsqrt")) if name not in POWERS else _MOST_INDEX_BITS
    for index_bits in range(1, most + 1):
        for step_bits in [bits + more for more in _STEPS] if name in POWERS else [0]:
            if name not in POWERS or index_bits < step_bits:
                yield from (Shape(index_bits, point, 0, step_bits) for point in points)


def _least_bits(problem: Problem, shape: Shape) -> int:
    """No table of this shape has fewer."""
    if problem.function.name in BINADES:
        return 0
    rows = 1 if problem.function.name not in ("sigmoid", "silu") else 2 * problem.out.fraction_bits
    return rows * (shape.point - shape.drop) << shape.index_bits
