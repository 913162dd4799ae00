"""Tables of straight lines: a constant and a slope a segment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """Segment ``i`` at ``offset`` has the value ``(constants[i] << drop) + slopes[i] * offset``, an integer.

    ``drop`` are the places that constants leave out.
    """

    constants: tuple[int, ...]
    slopes: tuple[int, ...]
    drop: int

    def __len__(self) -> int:
        """Segments."""
        return len(self.constants)

    @property
    def constant_bits(self) -> int:
        """Bits of a constant, unsigned."""
        return max(max(self.constants).bit_length(), 1)

    @property
    def signed_slopes(self) -> bool:
        """Whether any slope is below 0."""
        return min(self.slopes) < 0

    @property
    def slope_bits(self) -> int:
        """Bits of a slope, two's complement where any is below 0; 0 where all are 0."""
        bits = max((~slope if slope < 0 else slope).bit_length() for slope in self.slopes)
        return bits + self.signed_slopes

    @property
    def bits(self) -> int:
        """Bits of the whole table."""
        return len(self) * (self.constant_bits + self.slope_bits)

    def interpolate(self, index: Integers, offset: Integers) -> Integers:
        """The values of segments ``index`` at ``offset``."""
        constants, slopes = np.array(self.constants, dtype=np.int64), np.array(self.slopes, dtype=np.int64)
        return (constants[index] << self.drop) + slopes[index] * offset
