"""Starts of tiles that go on by turns, against the rules played cycle by cycle."""

from __future__ import annotations

import random

import pytest

from tilewright.generators.reference.turns import Turns


def played(turns: int, rows: int, commands: list[tuple[int, int, int]]) -> list[int]:
    """The first step of every tile; ``commands`` are (earliest first step, tiles, groups)."""
    tiles: list[tuple[int, int]] = []  # first and last step
    for earliest, count, groups in commands:
        for index in range(count):
            cycle = earliest if index == 0 else tiles[-1][0] + rows
            while not allowed(turns, rows, tiles, cycle, groups, fresh=index == 0):
                cycle += 1
            tiles.append((cycle, cycle + turns * (groups - 1)))
    return [first for first, _ in tiles]


def allowed(turns: int, rows: int, tiles: list[tuple[int, int]], cycle: int, groups: int, *, fresh: bool) -> bool:
    """Whether a tile may make its first step in ``cycle``."""
    if not tiles:
        return True
    if cycle + turns * (groups - 1) < tiles[-1][1] + rows:
        return False  # the drain would still be busy
    if fresh and all(last < cycle for _, last in tiles):
        return True
    if (cycle - tiles[-1][0] - 1) % turns:
        return False  # not the turn after that of the tile before
    return not any(last >= cycle and (cycle - first) % turns == 0 for first, last in tiles)


@pytest.mark.parametrize("seed", range(300))
def test_as_the_rules_are_played(seed: int) -> None:
    rng = random.Random(seed)
    turns, rows = rng.randint(2, 6), rng.randint(1, 9)
    model, commands, last = Turns(turns, rows), list[tuple[int, int, int]](), list[int]()
    earliest = 0
    for _ in range(rng.randint(1, 5)):
        count, groups = rng.choice((1, 2, turns, rng.randint(1, 40))), rng.choice((1, 2, rng.randint(1, 30)))
        # As in the core: the first tile comes `rows` cycles after the last one at the earliest.
        earliest = (last[-1] + rows if last else 0) + rng.choice((0, 0, rng.randint(0, 60)))
        commands.append((earliest, count, groups))
        first = model.start(earliest, groups)
        assert first >= earliest
        last.append(model.follow(count, groups))
    starts = played(turns, rows, commands)
    places = [sum(count for _, count, _ in commands[: index + 1]) - 1 for index in range(len(commands))]
    assert [starts[place] for place in places] == last


def test_the_law_of_one_command() -> None:
    turns, rows = 4, 16
    for groups, count in ((64, 16), (3, 9), (17, 1), (18, 5)):
        model = Turns(turns, rows)
        model.start(0, groups)
        last, apart = count - 1, model.apart
        assert apart == 17
        wanted = last // turns * turns * max(groups, apart) + last % turns * apart
        assert model.follow(count, groups) == wanted
