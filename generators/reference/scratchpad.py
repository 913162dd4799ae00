"""A scratchpad by words and lanes: the layout contract."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.derived import Scratchpad

Values = NDArray[np.int64]
Origins = NDArray[np.uint8]


class Origin(IntEnum):
    """Where a value comes from; a model can tell nothing about one that is undefined."""

    UNDEFINED = 0
    LOADED = 1
    COMPUTED = 2


class Span(NamedTuple):
    """Words ``low <= w < high``."""

    low: int
    high: int

    def overlaps(self, other: Span) -> bool:
        """Whether both share a word."""
        return self.low < other.high and other.low < self.high


class ScratchpadModel:
    """Contents of one memory: ``words`` x ``lanes`` elements of ``slots`` values each, at first undefined.

    Element *(i, j)* of a matrix of X rows at ``base`` lies in word ``base + (j div lanes) * X + i``, in lane
    ``j mod lanes``, or, where the memory is banked, in bank ``(i + j) mod lanes``.

    Attributes:
        values: ``(words, lanes, slots)``.
        origin: the same shape, an `Origin` each.
    """

    def __init__(self, geometry: Scratchpad, slots: int = 1) -> None:
        self.geometry = geometry
        shape = (geometry.words, geometry.lanes, slots)
        self.values: Values = np.zeros(shape, dtype=np.int64)
        self.origin: Origins = np.full(shape, Origin.UNDEFINED, dtype=np.uint8)

    @property
    def banked(self) -> bool:
        """Whether every lane has its own address."""
        return self.geometry.banks > 1

    def panels(self, cols: int) -> int:
        """Words that a row of ``cols`` elements takes."""
        return -(-cols // self.geometry.lanes)

    def span(self, rows: int, cols: int, base: int) -> Span:
        """Words of a matrix of ``rows`` x ``cols`` elements; they need not exist."""
        return Span(base, base + rows * self.panels(cols))

    def fits(self, span: Span) -> bool:
        """Whether all words of ``span`` exist."""
        return span.high <= self.geometry.words

    def places(self, rows: int, cols: int, base: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(words, lanes) of all elements, ``rows`` x ``cols`` each."""
        lanes = self.geometry.lanes
        i, j = np.arange(rows)[:, None], np.arange(cols)[None, :]
        return base + (j // lanes) * rows + i, ((i + j) if self.banked else j + 0 * i) % lanes

    def matrix(self, rows: int, cols: int, base: int) -> tuple[Values, Origins]:
        """(values, origins) of a matrix, ``(rows, cols, slots)`` each."""
        places = self.places(rows, cols, base)
        return self.values[places], self.origin[places]

    def store(self, matrix: Values, origin: Origins | int, base: int) -> None:
        """Writes a matrix ``(rows, cols, slots)``; the other lanes of its words are kept."""
        places = self.places(matrix.shape[0], matrix.shape[1], base)
        self.values[places] = matrix
        self.origin[places] = origin
