"""A matrix that lies in memory column by column."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.generators.program.tensor import LARGEST_COUNT, View, repeated, spanned


@dataclass(frozen=True)
class Transposed(View):
    """The transpose of a matrix whose rows lie ``pitch`` bytes apart: value (i, j) is that one's (j, i).

    Nothing is copied, but every value is a run of its own, and takes a beat of the bus.

    Args:
        address: of value (0, 0), in bytes.
        rows, cols: of the transpose.
        value_bytes: of a value's container.
        pitch: bytes from column to column, 0 for columns without a gap.
    """

    address: int
    rows: int
    cols: int
    value_bytes: int
    pitch: int = 0

    def __post_init__(self) -> None:
        if not self.pitch:
            object.__setattr__(self, "pitch", self.rows * self.value_bytes)

    def description(self) -> dict[str, int]:
        """Lines of one value, one for each column; rows follow each other value by value."""
        return {
            "line": 1,
            "tap_x_count": 1,
            "tap_y_stride": self.pitch,
            "out_x_count": LARGEST_COUNT,
            "out_x_stride": self.value_bytes,
            "out_y_count": 1,
            "x_size": 1,
            "y_size": 1,
        }

    def box(self, row: int, column: int, rows: int, cols: int) -> dict[str, int]:
        """See `View`."""
        self.check(row, column, rows, cols)
        return {"rows": rows, "cols": cols, "address": self.address + row * self.value_bytes + column * self.pitch}

    def transfers(self, row: int, column: int, rows: int, cols: int, bus_bytes: int, longest: int) -> tuple[int, int]:
        """See `View`: a value that is not aligned to its size may take two beats."""
        size, first = self.value_bytes, self.address + row * self.value_bytes + column * self.pitch
        if self.rows_follow(cols):
            return rows, spanned(first, size, rows, bus_bytes, longest)
        if self.pitch == size:
            beats = sum(spanned(first + i * size, size, cols, bus_bytes, longest) for i in range(rows))
        else:
            beats = sum(repeated(first + i * size, size, self.pitch, cols, bus_bytes) for i in range(rows))
        return rows * cols, beats

    def rows_follow(self, cols: int) -> bool:
        """See `View`: those of one value."""
        return cols == 1
