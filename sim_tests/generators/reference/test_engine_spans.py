"""Runs that are asked for together, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.reference.engine_box import Elements
from tilewright.generators.reference.engine_spans import Runs, beats, joins


def test_beats_of_runs() -> None:
    """A run of three bytes across a border, one within a beat, one that is not in memory."""
    address = np.array([[15, 16, 17], [33, 34, 35], [90, 91, 92]])
    inside = np.array([[True] * 3, [True] * 3, [False] * 3])
    begins = np.array([[True, False, False]] * 3)
    assert beats(Elements(address, inside, begins), 1, 16, 64) == 3
    nothing = np.zeros((0, 3))
    assert beats(Elements(nothing.astype(np.int64), nothing.astype(bool), nothing.astype(bool)), 1, 16, 64) == 0


@pytest.mark.parametrize(
    ("sizes", "longest", "joined"),
    [
        ([3] * 4, 512, [1, 1, 1, 0]),
        ([3] * 18, 512, [1] * 7 + [0] + [1] * 7 + [0, 1, 0]),  # 8 of them
        ([3] * 6, 7, [1, 1, 0, 1, 1, 0]),  # 7 bytes are enough
        ([7, 1, 8, 2], 7, [0, 1, 0, 0]),
    ],
)
def test_runs_without_a_gap(sizes: list[int], longest: int, joined: list[int]) -> None:
    size = np.array(sizes)
    address = 5 + np.append(0, np.cumsum(size)[:-1])
    yes = np.ones(len(sizes), dtype=bool)
    assert joins(Runs(address, size, yes, yes), longest).tolist() == [bool(each) for each in joined]


def test_runs_that_are_not_in_memory_or_apart_do_not_join() -> None:
    address, size = np.array([0, 4, 8, 13]), np.full(4, 4)
    inside = np.array([True, False, True, True])
    assert not joins(Runs(address, size, inside, inside), 512).any()
