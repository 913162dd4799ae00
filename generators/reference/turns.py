"""When output-stationary tiles start that go on by turns, because the accumulating add takes several cycles."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Turns:
    """The tiles of an array so far; cycles are those of first and last steps.

    A tile of ``groups`` steps makes one every ``turns`` cycles. It starts ``rows`` cycles or more after the one before
    (its seeds must have come down), in the turn after that one's, when nobody has that turn any more, and ends
    ``rows`` cycles or more after it (the drain must be free). So the tiles of one command start at
    ``(i div turns) * turns * max(groups, apart) + (i mod turns) * apart`` from the first one on, with ``apart`` the
    least number of cycles, at least ``rows``, that is 1 modulo ``turns``.

    Args:
        turns: cycles of the add.
        rows: of the array.
    """

    turns: int
    rows: int
    running: list[tuple[int, int]] = field(default_factory=list)  # first and last step of the last tiles

    @property
    def apart(self) -> int:
        """Cycles between the starts of two tiles, at least."""
        return self.rows + (1 - self.rows) % self.turns

    def start(self, earliest: int, groups: int) -> int:
        """The first step of a command's first tile that may be in cycle ``earliest``; it is noted."""
        first = max(earliest, self._ends(groups))
        alone = max([first, *(last + 1 for _, last in self.running)])
        found = alone
        if self.running:
            turn = self.running[-1][0] + 1
            before = [last for start, last in self.running if (turn - start) % self.turns == 0]
            first = max([first, *(last + 1 for last in before)])
            found = min(alone, first + (turn - first) % self.turns)
        self._note(found, groups)
        return found

    def follow(self, tiles: int, groups: int) -> int:
        """The first step of the last of ``tiles`` tiles, the first of which has been started; all are noted.

        Only the tiles of earlier commands that still go on make them irregular, and those end with the first turns.
        """
        starts = [self.running[-1][0]]
        while len(starts) < min(tiles, 2 * self.turns):
            turn = starts[-1] + self.apart
            before = [last for start, last in self.running if (turn - start) % self.turns == 0]
            late = max([turn, *(last + 1 for last in before)])
            starts.append(late + (turn - late) % self.turns)
            self._note(starts[-1], groups)
        if tiles > 2 * self.turns:
            period = self.turns * max(groups, self.apart)
            for index in range(max(2 * self.turns, tiles - self.turns), tiles):
                whole, rest = divmod(index - self.turns, self.turns)
                self._note(starts[self.turns + rest] + whole * period, groups)
        return self.running[-1][0]

    def _ends(self, groups: int) -> int:
        """The first step from which on a tile ends late enough after the one before."""
        return self.running[-1][1] + self.rows - self.turns * (groups - 1) if self.running else 0

    def _note(self, first: int, groups: int) -> None:
        self.running = [*self.running, (first, first + self.turns * (groups - 1))][-self.turns :]
