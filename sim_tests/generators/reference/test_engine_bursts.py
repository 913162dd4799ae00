"""Bursts by hand, those of any tensor, and boxes that read nothing."""

from __future__ import annotations

import pytest

from tilewright.generators.program.convolution import Convolution
from tilewright.generators.program.plan import make_plan
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import Matrix, View
from tilewright.generators.reference.engine_bursts import Burst, Shape, bursts
from tilewright.sim_tests.generators.program.engines import SMALL

PICTURE = Convolution(0, 1, 8, 8, 1, (3, 3), 1, before=(1, 1), after=(1, 1))


def test_a_run_is_cut_at_pages_and_at_the_longest_burst() -> None:
    """1000 bytes from 40 before a page on; the last beat has a half word more than it can give away at once."""
    matrix = Matrix(4096 - 40, 1, 1000, 1)
    found = bursts(matrix.box(0, 0, 1, 1000), matrix.description(), 1, Shape(16, 32, 16), 40)
    assert found == (
        Burst(3, 3, 0, 2, False, 0),
        Burst(32, 32, 0, 32, False, 0),
        Burst(28, 29, 1, 29, True, 1),
    )


def test_a_bus_wider_than_the_words_of_the_core_waits_for_them() -> None:
    matrix = Matrix(0, 2, 37, 1, pitch=64)
    found = bursts(matrix.box(0, 0, 2, 37), matrix.description(), 1, Shape(32, 8, 4), 40)
    assert found == (Burst(2, 10, 1, 10, True, 0),) * 2


@pytest.mark.parametrize("part", [(0, 0, 9, 12), (5, 7, 11, 30), (13, 3, 1, 1)])
@pytest.mark.parametrize(
    "view", [Matrix(5, 30, 45, 1, pitch=49), Convolution(3, 1, 6, 7, 5, (3, 3), 1, before=(1, 1), after=(1, 1))]
)
def test_bursts_of_any_tensor_are_the_beats_that_it_says(view: View, part: tuple[int, int, int, int]) -> None:
    runs, beats = view.transfers(*part, 16)
    found = bursts(view.box(*part), view.description(), 1, Shape(16, 32, 16), 40)
    assert sum(burst.beats for burst in found) == beats
    if isinstance(view, Matrix):  # of a picture, runs in padding are none
        assert sum(burst.run for burst in found) == runs


def test_a_box_wholly_in_padding_stands_as_one_beat() -> None:
    above = PICTURE.box(0, 0, 8, 3)
    assert bursts(above, PICTURE.description(), 1, Shape(16, 32, 4), 40) == (Burst(1, 8, 7, 8, True, 0),)


def test_padded_pictures_are_planned() -> None:
    assert make_plan(Product(PICTURE, Matrix(4096, 9, 8, 1), Matrix(8192, 64, 8, 4)), SMALL).cycles > 64 * 9 * 8 // 16
