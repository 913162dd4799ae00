"""Covering arrays: few rows in which every pair of choices occurs."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations

Row = dict[str, str]
Pair = tuple[tuple[str, str], tuple[str, str]]

_CANDIDATES = 40


def pairs(row: Mapping[str, str]) -> set[Pair]:
    """All pairs of choices of a row."""
    return set(combinations(sorted(row.items()), 2))


def all_pairs(factors: Mapping[str, Sequence[str]]) -> set[Pair]:
    """All pairs of choices that there are."""
    return {
        ((one, x), (other, y))
        for one, other in combinations(sorted(factors), 2)
        for x in factors[one]
        for y in factors[other]
    }


def pairwise(factors: Mapping[str, Sequence[str]], rng: random.Random, at_least: int = 0) -> list[Row]:
    """Rows, one choice of every factor each, that cover all pairs; random rows fill up to ``at_least``."""
    rows: list[Row] = []
    missing = all_pairs(factors)
    while missing:
        # Each candidate covers a missing pair; the best of them covers many.
        anchors = rng.choices(sorted(missing), k=_CANDIDATES)
        candidates = [_random_row(factors, rng) | dict(anchor) for anchor in anchors]
        best = max(candidates, key=lambda row: len(pairs(row) & missing))
        rows.append(best)
        missing -= pairs(best)
    rows += [_random_row(factors, rng) for _ in range(at_least - len(rows))]
    return rows


def _random_row(factors: Mapping[str, Sequence[str]], rng: random.Random) -> Row:
    return {name: rng.choice(choices) for name, choices in factors.items()}
