"""Boxes of plain matrices, and what moving them takes."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.program.tensor import Matrix
from tilewright.generators.reference.engine_box import elements
from tilewright.generators.reference.engine_spans import beats


@pytest.mark.parametrize("value_bytes", [1, 2, 4, 8])
@pytest.mark.parametrize("bus_bytes", [4, 16, 64])
def test_boxes_of_a_matrix(value_bytes: int, bus_bytes: int) -> None:
    random = np.random.default_rng(value_bytes)
    for _ in range(60):
        rows, cols = (int(n) for n in random.integers(1, 40, size=2))
        pitch = (cols + int(random.integers(0, 9)) * int(random.integers(0, 2))) * value_bytes
        matrix = Matrix(int(random.integers(0, 1 << 20)) * value_bytes, rows, cols, value_bytes, pitch)
        row, column = int(random.integers(rows)), int(random.integers(cols))
        column *= int(random.integers(0, 2))
        height, width = int(random.integers(1, rows - row + 1)), int(random.integers(1, cols - column + 1))
        width = width if column or random.random() < 0.5 else cols
        found = elements(full(matrix.description()), full(matrix.box(row, column, height, width)), value_bytes, 40)
        i, j = np.arange(row, row + height)[:, None], np.arange(column, column + width)
        np.testing.assert_array_equal(found.address, matrix.address + i * pitch + j * value_bytes)
        assert found.inside.all()
        longest = bus_bytes * int(random.integers(1, 5))
        runs, moved = matrix.transfers(row, column, height, width, bus_bytes, longest)
        assert (runs, moved) == (found.begins.sum(), beats(found, value_bytes, bus_bytes, longest))


def full(fields: dict[str, int]) -> dict[str, int]:
    """With the fields that are 0."""
    names = "tap_x_stride tap_y_stride out_y_stride batch_stride x_first x_out_step x_tap_step y_first y_out_step "
    names += "y_tap_step fill line_start tap_x_start out_x_start out_y_start out_x_offset tap_x_offset tap_y_offset"
    return dict.fromkeys(f"{names} x_row x_column y_row y_column".split(), 0) | fields


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"^pitch must be 12..2147483647, got 11; nearest legal value is 12$"):
        Matrix(0, 2, 3, 4, 11)
    with pytest.raises(
        ValueError, match=r"^pitch must be 12..2147483647, got 2147483648; nearest legal value is 2147483647$"
    ):
        Matrix(0, 2, 3, 4, 1 << 31)
    matrix = Matrix(0, 70_000, 3, 4)
    matrix.box(69_999, 2, 1, 1)
    with pytest.raises(
        ValueError, match=r"^rows of a part must be 1..65535 of the 70000 that there are, got 1..65536$"
    ):
        matrix.box(1, 0, 65_536, 1)
    with pytest.raises(ValueError, match=r"^columns of a part must be 1..65535 of the 3 that there are, got 2..3$"):
        matrix.box(0, 2, 1, 2)
