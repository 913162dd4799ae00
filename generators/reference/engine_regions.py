"""When the array uses a region of C, so that the ports of the core have to wait."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from tilewright.generators.reference.cycles import CycleModel, Gemm, Timing

_REMEMBERED = 8


class _Use(NamedTuple):
    """``times`` times ``active`` cycles, ``spacing`` apart, from cycle ``first`` on."""

    first: int
    times: int
    spacing: int
    active: int


class Region:
    """One side, reads or writes, of a region: the array goes first."""

    def __init__(self) -> None:
        self._uses: deque[_Use] = deque(maxlen=_REMEMBERED)

    def add(self, use: _Use) -> None:
        """The array will use it."""
        if use.times > 0:
            self._uses.append(use)

    def free(self, cycle: int) -> int:
        """The first cycle from ``cycle`` on in which the array does not use it."""
        moved = True
        while moved:
            moved = False
            for first, times, spacing, active in self._uses:
                turn, at = divmod(cycle - first, spacing)
                if 0 <= turn < times and at < active:
                    cycle += active - at
                    moved = True
        return cycle


class Regions:
    """Both regions of a core."""

    def __init__(self, core: CycleModel) -> None:
        self._core = core
        self.reads = (Region(), Region())
        self.writes = (Region(), Region())

    def command(self, region: int, command: Gemm, timing: Timing, *, fresh: bool) -> None:
        """The array carries out a command; ``fresh``: it starts from zero, so that its first sums read nothing."""
        core, finish = self._core, timing.offered - 1
        outer, inner, steps = core.folds(command.m, command.n, command.k, command.dataflow)
        spacing, way = core.fold_time(steps), core.read_after_write - 1
        if command.dataflow == "os":
            first = finish - (core.rows - 1) - (outer * inner - 1) * spacing
            use = _Use(first, outer * inner, spacing, core.rows)
            self.writes[region].add(use)
            if not fresh:
                self.reads[region].add(use._replace(first=first - way))
            return
        late = finish - timing.last_step
        around = max(inner * spacing, core.read_after_write)
        begin = timing.last_step - steps + 1 - (inner - 1) * spacing - (outer - 1) * around + late
        for fold in range(outer):
            use = _Use(begin + fold * around, inner, spacing, steps)
            self.writes[region].add(use)
            if fold or not fresh:
                self.reads[region].add(use._replace(first=use.first - way))
