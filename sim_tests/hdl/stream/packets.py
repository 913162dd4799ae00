"""Packets of beats: random ones, and what width converters must make of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Beat:
    """Kept elements, lane 0 first, and whether the packet ends."""

    elements: tuple[int, ...]
    last: bool

    def packed(self, lanes: int, width: int) -> int:
        """The payload; lanes that are not kept are 0."""
        data = sum(element << lane * width for lane, element in enumerate(self.elements))
        keep = (1 << len(self.elements)) - 1
        return data | keep << lanes * width | self.last << lanes * (width + 1)

    def mask(self, lanes: int, width: int) -> int:
        """Bits of the payload that mean something."""
        head = (1 << len(self.elements) * width) - 1
        return head | ((1 << lanes + 1) - 1) << lanes * width


def packets(count: int, lanes: int, width: int, seed: int, *, rows: int = 3) -> list[Beat]:
    """``count`` packets of 1..``rows`` rows; a row starts on a new beat, so beats inside a packet may be partial."""
    rng = np.random.default_rng(seed)
    beats: list[Beat] = []
    for _ in range(count):
        for left in reversed(range(int(rng.integers(1, rows + 1)))):
            length = int(rng.integers(1, 4 * lanes + 1))
            row = rng.integers(0, 1 << width, length).tolist()
            parts = [tuple(row[start : start + lanes]) for start in range(0, length, lanes)]
            beats += [Beat(part, left == 0 and part is parts[-1]) for part in parts]
    return beats


def widened(beats: list[Beat], lanes: int, factor: int) -> list[tuple[Beat, int]]:
    """The wide beats, each with the index of the narrow one that closes it."""
    wide: list[tuple[Beat, int]] = []
    gathered: tuple[int, ...] = ()
    for index, beat in enumerate(beats):
        gathered += beat.elements
        if beat.last or len(beat.elements) < lanes or len(gathered) == lanes * factor:
            wide.append((Beat(gathered, beat.last), index))
            gathered = ()
    return wide


def narrowed(beats: list[Beat], lanes: int) -> list[Beat]:
    """The narrow beats of wide ones."""
    narrow = []
    for beat in beats:
        parts = [beat.elements[start : start + lanes] for start in range(0, len(beat.elements), lanes)]
        narrow += [Beat(part, beat.last and index == len(parts) - 1) for index, part in enumerate(parts)]
    return narrow
