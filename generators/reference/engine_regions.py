"""When the array uses a region of C, so that the ports of the core have to wait."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from tilewright.generators.reference.cycles import CycleModel, Gemm, Timing

_REMEMBERED = 16  # uses
SEEDS = 12  # from a command to the reading of its first sums, where they start inside the array
SEEDED = 5  # from the first step of a fold to the reading of those of the next


class _Use(NamedTuple):
    """``times`` times ``active`` cycles, ``spacing`` apart, from cycle ``first`` on; and again ``around`` later."""

    first: int
    times: int
    spacing: int
    active: int
    rounds: int = 1
    around: int = 1 << 60

    def ends(self, cycle: int) -> int:
        """The first cycle from ``cycle`` on that it leaves free."""
        number, within = divmod(cycle - self.first, self.around)
        turn, at = divmod(within, self.spacing)
        if 0 <= number < self.rounds and turn < self.times and at < self.active:
            return cycle + self.active - at
        return cycle


class Region:
    """One side, reads or writes, of a region: the array goes first."""

    def __init__(self) -> None:
        self._uses: deque[_Use] = deque(maxlen=_REMEMBERED)

    def add(self, use: _Use) -> None:
        """The array will use it."""
        if use.times > 0 and use.rounds > 0:
            self._uses.append(use)

    def free(self, cycle: int) -> int:
        """The first cycle from ``cycle`` on in which the array does not use it."""
        before = -1
        while before != cycle:
            before = cycle
            for use in self._uses:
                cycle = use.ends(cycle)
        return cycle


class Regions:
    """Both regions of a core."""

    def __init__(self, core: CycleModel) -> None:
        self._core = core
        self.reads = (Region(), Region())
        self.writes = (Region(), Region())
        self._last_start = -(1 << 30)

    def command(self, region: int, command: Gemm, timing: Timing, *, fresh: bool) -> None:
        """The array carries out a command; ``fresh``: it starts from zero, so that its first sums read nothing."""
        core = self._core
        finish = timing.offered - 1 - core.write_latency("c")
        outer, inner, steps = core.folds(command.m, command.n, command.k, command.dataflow)
        spacing = core.fold_time(steps)
        # From the reading of a word to its writing.
        way = core.read_after_write - max(1, core.write_latency("c"))
        if command.dataflow == "os":
            first = finish - (core.rows - 1) - (outer * inner - 1) * spacing
            # Sums of rows that do not exist come out, and are not written: they are the first ones of a tile.
            full, left = (outer - 1) * inner, command.m - (outer - 1) * core.rows
            self.writes[region].add(_Use(first, full, spacing, core.rows))
            self.writes[region].add(_Use(first + full * spacing + core.rows - left, inner, spacing, left))
            if not fresh and core.seeded:
                self._seeds(region, timing, outer * inner, spacing)
            elif not fresh:
                self.reads[region].add(_Use(first - way, outer * inner, spacing, core.rows))
            self._last_start = timing.first_step + (outer * inner - 1) * spacing
            return
        late = finish - timing.last_step
        around = max(inner * spacing, core.read_after_write)
        begin = timing.last_step - steps + 1 - (inner - 1) * spacing - (outer - 1) * around + late
        use = _Use(begin, inner, spacing, steps, outer, around)
        self.writes[region].add(use)
        use = use._replace(first=begin - way)
        self.reads[region].add(use._replace(first=use.first + around, rounds=outer - 1) if fresh else use)

    def _seeds(self, region: int, timing: Timing, folds: int, spacing: int) -> None:
        """Sums that start inside the array are shifted in: those of a fold when the fold before has taken its own."""
        rows = self._core.rows
        first = max(timing.taken + SEEDS, self._last_start + SEEDED)
        self.reads[region].add(_Use(first, 1, rows, rows))
        if folds > 1:
            second = max(first + rows, timing.first_step + SEEDED)
            self.reads[region].add(_Use(second, folds - 1, spacing, rows))
