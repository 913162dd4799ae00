"""Multipliers and shifts of output channels, as the channel memory of an engine takes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

CHANNEL_BYTES = 8
_SHIFT_BIT = 32


@dataclass(frozen=True)
class ChannelWords:
    """Where the channels of N columns lie that are cut into tiles of ``tile``: each tile begins a word of ``lanes``.

    A tile's columns are then those of the lanes whatever its width is.
    """

    columns: int
    tile: int
    lanes: int

    @property
    def words_of_tile(self) -> int:
        """Words of a whole tile."""
        return -(-min(self.tile, self.columns) // self.lanes)

    @property
    def entries(self) -> int:
        """Channels that the table has, those included that stand for no column."""
        tiles, rest = divmod(self.columns, self.tile)
        return tiles * self.words_of_tile * self.lanes + rest

    def word(self, column: int) -> int:
        """The word of the first column of a tile."""
        return column // self.tile * self.words_of_tile

    def table(self, multipliers: ArrayLike, shifts: ArrayLike) -> NDArray[np.uint8]:
        """The bytes of the table: 8 a channel, the multiplier in bits 30..0, the shift in bits 37..32."""
        values = np.asarray(multipliers, dtype=np.uint64) | np.asarray(shifts, dtype=np.uint64) << np.uint64(_SHIFT_BIT)
        found = np.zeros(self.entries, dtype="<u8")
        for column in range(0, self.columns, self.tile):
            part = values[column : column + self.tile]
            at = self.word(column) * self.lanes
            found[at : at + len(part)] = part
        return found.view(np.uint8)
