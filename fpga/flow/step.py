"""The steps of a build."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Step:
    """A step of a build.

    Attributes:
        name: what a user is told.
        words: of the command line; with its files they decide what it makes.
        do: does it in a folder, and gives the processor seconds that it took.
    """

    name: str
    words: tuple[str, ...]
    do: Callable[[Path], float]


@dataclass(frozen=True)
class Took:
    """What a step took."""

    step: str
    cpu_seconds: float
    wall_seconds: float
