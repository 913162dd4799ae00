"""A part of a matrix as a matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tilewright.generators.program.tensor import View
from tilewright.generators.program.transposed import Transposed


@dataclass(frozen=True)
class Window(View):
    """``rows`` x ``cols`` values of ``view`` from (``row``, ``column``) on; it lies where they do."""

    view: View
    row: int
    column: int
    rows: int
    cols: int

    def __post_init__(self) -> None:
        for name, first, count, size in (
            ("rows", self.row, self.rows, self.view.rows),
            ("columns", self.column, self.cols, self.view.cols),
        ):
            if first < 0 or count < 1 or first + count > size:
                raise ValueError(
                    f"{name} of a window must be among the {size} that there are, got {first}..{first + count - 1}"
                )

    @property
    def value_bytes(self) -> int:  # type: ignore[override] # follows from the view
        """Of the view."""
        return self.view.value_bytes

    def description(self) -> dict[str, int]:
        """That of the view."""
        return self.view.description()

    def box(self, row: int, column: int, rows: int, cols: int) -> dict[str, int]:
        """See `View`."""
        self.check(row, column, rows, cols)
        return self.view.box(self.row + row, self.column + column, rows, cols)

    def transfers(self, row: int, column: int, rows: int, cols: int, bus_bytes: int, longest: int) -> tuple[int, int]:
        """See `View`."""
        return self.view.transfers(self.row + row, self.column + column, rows, cols, bus_bytes, longest)

    def rows_follow(self, cols: int) -> bool:
        """See `View`."""
        return self.view.rows_follow(cols)


def window(view: View, row: int, column: int, rows: int, cols: int) -> View:
    """The same; the view itself where that is all of it. A part of a transpose is one, too."""
    if (row, column, rows, cols) == (0, 0, view.rows, view.cols):
        return view
    if isinstance(view, Transposed):
        address = view.address + row * view.value_bytes + column * view.pitch
        return replace(view, address=address, rows=rows, cols=cols)
    return Window(view, row, column, rows, cols)
