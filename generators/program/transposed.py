"""A matrix that lies in memory column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.tensor import LARGEST_COUNT, Matrix, View, repeated, spanned


def block_unit(operand: Literal["a", "b"], config: EngineConfig) -> int:
    """Rows that blocks of A or B are whole multiples of.

    A block goes on in a scratchpad where the one before ended: at a whole element, and where there are banks, whose
    order turns from row to row, at a row that begins them anew.
    """
    pad = config.scratchpads.a if operand == "a" else config.scratchpads.b
    return (1 if operand == "a" else config.vector) * pad.banks


@dataclass(frozen=True)
class Transposed(View):
    """The transpose of a matrix whose rows lie ``pitch`` bytes apart: value (i, j) is that one's (j, i).

    Nothing is copied, but every value is a run of its own, and takes a beat of the bus, unless a transposer turns it
    in blocks.

    Args:
        address: of value (0, 0), in bytes.
        rows, cols: of the transpose.
        value_bytes: of a value's container.
        pitch: bytes from column to column, 0 for columns without a gap.
        block: rows that are turned at once; 0: none, a value at a time.
        wide: columns that are turned at once, where there is a block.
    """

    address: int
    rows: int
    cols: int
    value_bytes: int
    pitch: int = 0
    block: int = 0
    wide: int = LARGEST_COUNT

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

    @property
    def lies(self) -> Matrix:
        """The matrix as it lies in memory, row by row, whose transpose this is."""
        return Matrix(self.address, self.cols, self.rows, self.value_bytes, self.pitch)

    def transfers(self, row: int, column: int, rows: int, cols: int, bus_bytes: int, longest: int) -> tuple[int, int]:
        """See `View`: a value that is not aligned to its size may take two beats."""
        if self.block:
            found = [
                self.lies.transfers(
                    column + j, row + i, min(self.wide, cols - j), min(self.block, rows - i), bus_bytes, longest
                )
                for i in range(0, rows, self.block)
                for j in range(0, cols, self.wide)
            ]
            return sum(runs for runs, _ in found), sum(more for _, more in found)
        size, first = self.value_bytes, self.address + row * self.value_bytes + column * self.pitch
        if cols == 1:
            return rows, spanned(first, size, rows, bus_bytes, longest)
        if self.pitch == size:
            beats = sum(spanned(first + i * size, size, cols, bus_bytes, longest) for i in range(rows))
        else:
            beats = sum(repeated(first + i * size, size, self.pitch, cols, bus_bytes) for i in range(rows))
        return rows * cols, beats

    def rows_follow(self, cols: int) -> bool:
        """See `View`: those of one value, and those of blocks, which begin anew in each part."""
        return cols == 1 or self.block > 0
