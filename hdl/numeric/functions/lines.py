"""Straight lines of integers through intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

_TRIED = 256  # slopes of one line; what is feasible is a convex set, and its middle is among them


@dataclass(frozen=True)
class Strip:
    """Intervals of integers, ``low`` to ``high``, at ascending ``offsets``."""

    offsets: Integers
    low: Integers
    high: Integers

    @classmethod
    def of(cls, offsets: Integers, low: Integers, high: Integers) -> Self:
        """Intervals in any order; several at one offset are met together."""
        order = np.argsort(offsets, kind="stable")
        offsets, low, high = offsets[order], low[order], high[order]
        starts = np.flatnonzero(np.r_[True, offsets[1:] != offsets[:-1]])
        return cls(offsets[starts], np.maximum.reduceat(low, starts), np.minimum.reduceat(high, starts))

    def line(self, drop: int) -> tuple[int, int] | None:
        """Integers ``c0, c1`` with ``low <= (c0 << drop) + c1 * offset <= high`` everywhere, or None.

        Of the slopes that are tried the nearest to 0, and its lowest constant that is not below 0.
        """
        slopes, least, most = self._constants
        constants = -(-least >> drop)
        good = constants << drop <= most
        if not good.any():
            return None
        best = np.argmin(np.where(good, np.abs(slopes), np.iinfo(np.int64).max))
        return int(constants[best]), int(slopes[best])

    @cached_property
    def _constants(self) -> tuple[Integers, Integers, Integers]:
        """Slopes, and the least and the greatest value at offset 0 that each allows."""
        first, last = self._slopes
        nearest = min(max(0, first), last)
        spread = np.linspace(first, last, max(0, min(_TRIED, last - first + 1))).astype(np.int64)
        slopes = np.union1d(spread, np.arange(max(first, nearest - _TRIED), min(last, nearest + _TRIED) + 1))
        least = np.max(self.low[:, None] - slopes * self.offsets[:, None], axis=0)
        return slopes, np.maximum(least, 0), np.min(self.high[:, None] - slopes * self.offsets[:, None], axis=0)

    @cached_property
    def _slopes(self) -> tuple[int, int]:
        """The least and the greatest integer slope that any two intervals allow; then a real constant suits all."""
        if np.any(self.low > self.high):
            return 1, 0
        if len(self.offsets) == 1:
            return 0, 0
        left, right = np.triu_indices(len(self.offsets), 1)
        run = self.offsets[right] - self.offsets[left]
        # Towards the inside: -(-a // b) is a / b rounded up.
        least = np.max(-((self.high[left] - self.low[right]) // run))
        return int(least), int(np.min((self.high[right] - self.low[left]) // run))
