"""Runs of memory that are moved together, as they follow each other there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.reference.engine_box import Elements, Integers

MOST_RUNS = 8
"""Runs of a span, at most."""


@dataclass(frozen=True)
class Runs:
    """The runs of a box, in order: first byte, bytes, whether they are in memory, whether they end a row."""

    address: Integers
    size: Integers
    inside: NDArray[np.bool_]
    row_end: NDArray[np.bool_]


def runs(found: Elements, value_bytes: int) -> Runs:
    """The runs of a box with a value or more."""
    starts = np.flatnonzero(found.begins.reshape(-1))
    ends = np.append(starts[1:], found.begins.size)
    return Runs(
        found.address.reshape(-1)[starts],
        (ends - starts) * value_bytes,
        found.inside.reshape(-1)[starts],
        ends % found.begins.shape[1] == 0,
    )


def joins(found: Runs, longest: int) -> NDArray[np.bool_]:
    """Whether the next run is of the same span.

    It is where it begins in memory where this one ends, until a span has ``longest`` bytes, or `MOST_RUNS` runs.
    """
    follows = np.zeros(len(found.size), dtype=bool)
    follows[:-1] = (found.address[:-1] + found.size[:-1] == found.address[1:]) & found.inside[:-1] & found.inside[1:]
    count = total = 0
    for at in np.flatnonzero(follows).tolist():
        if at == 0 or not follows[at - 1]:
            count = total = 0
        count, total = count + 1, total + int(found.size[at])
        if count == MOST_RUNS or total >= longest:
            follows[at], count, total = False, 0, 0
    return follows


def run_beats(every: Runs, bus_bytes: int, longest: int) -> int:
    """Beats of the bus that moving takes: those that a span touches, span by span."""
    last = ~joins(every, longest)
    first = np.append(True, last[:-1])
    begin = every.address[first & every.inside] // bus_bytes
    ends = last & every.inside
    return int(((every.address[ends] + every.size[ends] - 1) // bus_bytes - begin + 1).sum())


def beats(found: Elements, value_bytes: int, bus_bytes: int, longest: int) -> int:
    """The same of a box, which may be empty. ``longest``: bytes of the longest burst."""
    return run_beats(runs(found, value_bytes), bus_bytes, longest) if found.begins.size else 0


def moved_bytes(found: Elements, value_bytes: int, config: EngineConfig) -> int:
    """Bytes of these beats on the bus of an engine."""
    bus_bytes = config.bus_bits // 8
    return beats(found, value_bytes, bus_bytes, config.longest_burst) * bus_bytes
