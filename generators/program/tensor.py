"""Matrices in the engine's memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import gcd

from tilewright.generators.reference.engine_spans import MOST_RUNS

LARGEST_COUNT = 65_535  # rows and columns of a box, steps of a loop
LARGEST_STRIDE = (1 << 31) - 1
ADDRESS_SPACE = 1 << 64


class View(ABC):
    """A matrix of ``rows`` x ``cols`` values of ``value_bytes`` (1, 2, 4, 8) each, made of what lies in memory.

    A row's values lie in runs: values that follow each other in memory, up to the end of a line of the tensor or of the
    part of the row that is moved. The engine reads and writes run by run, whole beats of the bus.
    """

    address: int
    rows: int
    cols: int
    value_bytes: int

    @abstractmethod
    def description(self) -> dict[str, int]:
        """Fields of LOAD_TENSOR and STORE_TENSOR, ``slot`` apart."""

    @abstractmethod
    def box(self, row: int, column: int, rows: int, cols: int) -> dict[str, int]:
        """Fields of LOAD and STORE that say which part is moved: ``rows`` x ``cols`` values from (row, column) on.

        Raises ValueError where the part does not lie in the matrix or is larger than 65,535 either way.
        """

    @abstractmethod
    def transfers(self, row: int, column: int, rows: int, cols: int, bus_bytes: int, longest: int) -> tuple[int, int]:
        """(runs, beats of the bus) that moving the same part takes; what is not in memory takes none.

        Runs that follow each other in memory are moved together (`joins`); ``longest``: bytes of the longest burst.
        """

    @abstractmethod
    def rows_follow(self, cols: int) -> bool:
        """Whether a row of a part of ``cols`` columns may begin in memory where the one before ends."""

    def check(self, row: int, column: int, rows: int, cols: int) -> None:
        """Raises ValueError unless the part lies in the matrix and fits a box."""
        for name, first, count, size in (("rows", row, rows, self.rows), ("columns", column, cols, self.cols)):
            if not (first >= 0 and 1 <= count <= LARGEST_COUNT and first + count <= size):
                raise ValueError(
                    f"{name} of a part must be 1..{LARGEST_COUNT} of the {size} that there are, "
                    f"got {first}..{first + count - 1}"
                )


@dataclass(frozen=True)
class Matrix(View):
    """A matrix whose rows lie ``pitch`` bytes apart, the values of a row one after the other.

    Args:
        address: of value (0, 0), in bytes.
        rows, cols: any numbers.
        value_bytes: of a value's container.
        pitch: bytes from row to row, 0 for rows without a gap; below 2**31.
    """

    address: int
    rows: int
    cols: int
    value_bytes: int
    pitch: int = 0

    def __post_init__(self) -> None:
        row_bytes = self.cols * self.value_bytes
        if not self.pitch:
            object.__setattr__(self, "pitch", row_bytes)
        if not row_bytes <= self.pitch <= LARGEST_STRIDE:
            nearest = min(max(self.pitch, row_bytes), LARGEST_STRIDE)
            raise ValueError(
                f"pitch must be {row_bytes}..{LARGEST_STRIDE}, got {self.pitch}; nearest legal value is {nearest}"
            )

    def description(self) -> dict[str, int]:
        """A matrix is one loop of rows without an end; boxes start at their own first row."""
        return {
            "line": self.cols,
            "tap_x_count": 1,
            "out_x_count": LARGEST_COUNT,
            "out_x_stride": self.pitch,
            "out_y_count": 1,
            "x_size": 1,
            "y_size": 1,
        }

    def box(self, row: int, column: int, rows: int, cols: int) -> dict[str, int]:
        """As of any view; the box begins its own loop of rows."""
        self.check(row, column, rows, cols)
        return {"rows": rows, "cols": cols, "address": self.address + row * self.pitch, "line_start": column}

    def transfers(self, row: int, column: int, rows: int, cols: int, bus_bytes: int, longest: int) -> tuple[int, int]:
        """As of any view; a run is a row."""
        first, length = self.address + row * self.pitch + column * self.value_bytes, cols * self.value_bytes
        if not self.rows_follow(cols):
            return rows, repeated(first, length, self.pitch, rows, bus_bytes)
        return rows, spanned(first, length, rows, bus_bytes, longest)

    def rows_follow(self, cols: int) -> bool:
        """As of any view: where there is nothing between them."""
        return cols * self.value_bytes == self.pitch


def repeated(first: int, length: int, pitch: int, count: int, bus_bytes: int) -> int:
    """Beats of ``count`` spans of ``length`` bytes: they repeat after as many as the pitch takes to a whole beat."""
    period = bus_bytes // gcd(pitch, bus_bytes)
    beats = 0
    for phase in range(min(period, count)):
        offset = (first + phase * pitch) % bus_bytes
        beats += -(-(offset + length) // bus_bytes) * -(-(count - phase) // period)
    return beats


def spanned(first: int, length: int, count: int, bus_bytes: int, longest: int) -> int:
    """Beats of ``count`` runs of ``length`` bytes that follow each other."""
    together = min(MOST_RUNS, -(-longest // length))
    whole, rest = divmod(count, together)
    beats = repeated(first, together * length, together * length, whole, bus_bytes)
    if rest:
        beats += repeated(first + whole * together * length, rest * length, 0, 1, bus_bytes)
    return beats


def wrapped(address: int) -> int:
    """An address that may be below 0, as sums of the engine wrap."""
    return address % ADDRESS_SPACE
