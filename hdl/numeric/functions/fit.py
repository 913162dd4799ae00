"""Tables that meet their target at every operand, or none."""

from __future__ import annotations

import numpy as np

from tilewright.hdl.numeric.codes import decode
from tilewright.hdl.numeric.floating import FloatFormat
from tilewright.hdl.numeric.functions.function import OPERAND, Function
from tilewright.hdl.numeric.functions.lines import Strip
from tilewright.hdl.numeric.functions.operand import Operand
from tilewright.hdl.numeric.functions.reduction import Reduction
from tilewright.hdl.numeric.functions.table import Table
from tilewright.hdl.numeric.functions.target import Target
from tilewright.hdl.numeric.functions.values import quietly


class Problem:
    """A function, the format of its result and the error allowed: what a table has to solve.

    ``bits`` are the operands that have no fixed result, ``operand`` their fields, ``target`` what may come out.
    """

    def __init__(self, function: Function, out: FloatFormat, error: float) -> None:
        every = np.arange(1 << OPERAND.width)
        self.function, self.out, self.error = function, out, error
        self.bits = every[function.fixed(every, out) < 0]
        self.operand = Operand.of(self.bits)
        self.values = quietly(function.value, decode(self.bits, OPERAND))
        self.target = Target.of(self.values, out, error)
        self._latest: tuple[Reduction, list[tuple[int, Strip]]] | None = None

    def solve(self, reduction: Reduction, drop: int) -> Table | None:
        """The table for ``reduction`` with constants that leave out ``drop`` places, or None where there is none."""
        lines = [(0, 0)] * reduction.segments
        for number, strip in self._strips(reduction):
            found = strip.line(drop)
            if found is None:
                return None
            lines[number] = found
        constants, slopes = zip(*lines, strict=True)
        return Table(constants, slopes, drop)

    def _strips(self, reduction: Reduction) -> list[tuple[int, Strip]]:
        """What each segment has to meet, by its number; one that cannot be met comes first."""
        if self._latest is None or self._latest[0] != reduction:
            lookup = reduction.lookup(self.operand)
            first, last = self.target.interpolated(lookup)
            last = np.minimum(last, (4 << reduction.point) - 1)
            asked = np.flatnonzero(lookup.factor != 0)
            asked = asked[np.argsort(lookup.index[asked], kind="stable")]
            numbers, starts = np.unique(lookup.index[asked], return_index=True)
            strips = [Strip.of(lookup.offset[m], first[m], last[m]) for m in np.split(asked, starts[1:])]
            found = list(zip(map(int, numbers), strips, strict=True))
            found.sort(key=lambda each: each[1].line(0) is not None)
            self._latest = reduction, found
        return self._latest[1]
