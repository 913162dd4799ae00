"""Parts of matrices as matrices."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tilewright.generators.program.convolution import Convolution
from tilewright.generators.program.tensor import Matrix, View
from tilewright.generators.program.transposed import Transposed
from tilewright.generators.program.window import Window, window
from tilewright.generators.reference.engine_box import elements
from tilewright.generators.reference.engine_records import Op, bit_fields

VIEWS: dict[str, View] = {
    "matrix": Matrix(37, 20, 13, 2, 40),
    "transposed": Transposed(64, 20, 13, 2, 50),
    "convolution": Convolution(5, 2, 7, 6, 3, (3, 2), 1, stride=(2, 1), before=(1, 1), after=(1, 0), fill=9),
}


BODY = (*(name for name, *_ in bit_fields(Op.LOAD_TENSOR)), *(name for name, *_ in bit_fields(Op.LOAD)))


def places(view: View, row: int, column: int, rows: int, cols: int) -> tuple[np.ndarray, np.ndarray]:
    """Addresses of a part's values, and whether they are in memory."""
    fields = dict.fromkeys([*BODY], 0)
    box = fields | view.box(row, column, rows, cols)
    found = elements(fields | view.description(), box, view.value_bytes, 40)
    return found.address, found.inside


@pytest.mark.parametrize("name", VIEWS)
def test_a_part_of_a_window_is_that_part_of_the_view(name: str) -> None:
    view = VIEWS[name]
    rng = np.random.default_rng(1)
    for _ in range(40):
        row, column = int(rng.integers(view.rows)), int(rng.integers(view.cols))
        rows, cols = int(rng.integers(1, view.rows - row + 1)), int(rng.integers(1, view.cols - column + 1))
        part = Window(view, row, column, rows, cols)
        assert (part.rows, part.cols, part.value_bytes) == (rows, cols, view.value_bytes)
        r, c = int(rng.integers(rows)), int(rng.integers(cols))
        size = (int(rng.integers(1, rows - r + 1)), int(rng.integers(1, cols - c + 1)))
        for found, wanted in zip(places(part, r, c, *size), places(view, row + r, column + c, *size), strict=True):
            np.testing.assert_array_equal(found, wanted)
        for longest in (8, 256):
            moved = part.transfers(r, c, *size, 8, longest)
            assert moved == view.transfers(row + r, column + c, *size, 8, longest)
        assert part.rows_follow(size[1]) == view.rows_follow(size[1])


def test_all_of_a_view_is_the_view() -> None:
    view = VIEWS["matrix"]
    assert window(view, 0, 0, 20, 13) is view
    assert window(view, 0, 0, 20, 12) == Window(view, 0, 0, 20, 12)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ((0, 0, 21, 1), "rows of a window must be among the 20 that there are, got 0..20"),
        ((-1, 0, 2, 1), "rows of a window must be among the 20 that there are, got -1..0"),
        ((3, 12, 2, 2), "columns of a window must be among the 13 that there are, got 12..13"),
        ((3, 12, 2, 0), "columns of a window must be among the 13 that there are, got 12..11"),
    ],
)
def test_refusals(place: tuple[int, int, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Window(VIEWS["matrix"], *place)


def test_a_part_beyond_a_window_is_refused_though_the_view_has_it() -> None:
    part = Window(VIEWS["matrix"], 2, 3, 4, 5)
    part.box(3, 4, 1, 1)
    with pytest.raises(ValueError, match=r"^rows of a part must be 1..65535 of the 4 that there are, got 4..4$"):
        part.box(4, 0, 1, 1)
