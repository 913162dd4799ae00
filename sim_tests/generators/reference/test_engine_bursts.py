"""Bursts by hand, those of any tensor, and boxes that read nothing."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.candidates import candidates
from tilewright.generators.program.convolution import Convolution
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.plan import entries, make_plan
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import Matrix, View
from tilewright.generators.reference.engine_bursts import Burst, Shape, Step, bursts
from tilewright.generators.reference.engine_cycles import EngineCycles
from tilewright.sim_tests.generators.program.engines import SMALL
from tilewright.sim_tests.generators.program.picture_problems import picture_problem
from tilewright.sim_tests.generators.program.test_convolution import random_view

PICTURE = Convolution(0, 1, 8, 8, 1, (3, 3), 1, before=(1, 1), after=(1, 1))


GIVES, SPILLS, ENDS, RUN, FILLS = Step.GIVES, Step.SPILLS, Step.ENDS, Step.RUN, Step.FILLS


def load(view: View, part: tuple[int, int, int, int], shape: Shape) -> tuple[Burst, ...]:
    return bursts(view.box(*part), view.description(), 1, shape, 40)


def test_a_run_is_cut_at_pages_and_at_the_longest_burst() -> None:
    """1000 bytes from 40 before a page on: the first beat has half a word, the last one more than it can give."""
    found = load(Matrix(4096 - 40, 1, 1000, 1), (0, 0, 1, 1000), Shape(16, 512, 16, True))
    assert [(burst.beats, burst.even, burst.words, burst.runs, burst.ends) for burst in found] == [
        (3, True, 2, 1, False),
        (32, True, 32, 1, False),
        (28, False, 29, 1, True),
    ]
    assert found[0].steps == (ENDS, GIVES | ENDS, GIVES | ENDS)
    assert found[2].steps[-1] == GIVES | SPILLS | ENDS | RUN


def test_a_bus_wider_than_the_words_of_the_core_waits_for_them() -> None:
    """Rows of 32 + 5 bytes, in words of 4."""
    found = load(Matrix(0, 2, 37, 1, pitch=64), (0, 0, 2, 37), Shape(32, 256, 4, True))
    steps = (GIVES,) * 7 + (GIVES | ENDS, GIVES, GIVES | ENDS | RUN)
    assert found == (Burst(2, steps, False, 10, 1, True),) * 2


def test_rows_without_a_gap_are_one_span() -> None:
    """5 rows of 6 bytes share beats of 16; each ends a word of its own."""
    found = load(Matrix(4, 5, 6, 1), (0, 0, 5, 6), Shape(16, 64, 8, True))
    ends = GIVES | RUN
    assert found == (Burst(3, (ends, ends | ENDS, ends, ends, 0 | ENDS, ends | ENDS), False, 5, 5, True),)


def test_a_store_fills_beats_from_words() -> None:
    """2 rows of 12 bytes without a gap, from byte 8 on, in words of 8."""
    matrix = Matrix(8, 2, 12, 1)
    found = bursts(matrix.box(0, 0, 2, 12), matrix.description(), 1, Shape(16, 64, 8, False), 40)
    whole = Step.CUTS | Step.BEGINS | Step.ENDS
    assert [burst.beats for burst in found] == [2]
    assert found[0].steps == (whole | Step.GIVES, whole | Step.RUN, whole, whole | Step.GIVES | Step.RUN)


@pytest.mark.parametrize("part", [(0, 0, 9, 12), (5, 7, 11, 30), (13, 3, 1, 1), (0, 0, 30, 45)])
@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize(
    "view",
    [
        Matrix(5, 30, 45, 1, pitch=49),
        Matrix(5, 30, 45, 1),
        Convolution(3, 1, 6, 7, 5, (3, 3), 1, before=(1, 1), after=(1, 1)),
    ],
)
def test_bursts_of_any_tensor_are_the_beats_that_it_says(
    view: View, reads: bool, part: tuple[int, int, int, int]
) -> None:
    part = (*part[:2], min(part[2], view.rows - part[0]), min(part[3], view.cols - part[1]))
    runs, beats = view.transfers(*part, 16, 64)
    found = load(view, part, Shape(16, 64, 16, reads))
    assert sum(burst.beats for burst in found) == beats
    assert max(burst.beats for burst in found) <= 4
    assert sum(burst.runs for burst in found if burst.ends) == runs
    if reads:
        assert sum(burst.words for burst in found) == part[2] * -(-part[3] // 16)
        assert all(sum(step & ENDS > 0 for step in burst.steps) == burst.beats for burst in found)
    elif isinstance(view, Matrix):
        assert all(sum(step & GIVES > 0 for step in burst.steps) == burst.beats for burst in found)


def test_a_box_wholly_in_padding_asks_for_nothing() -> None:
    (burst,) = load(PICTURE, (0, 0, 8, 3), Shape(16, 512, 4, True))
    assert (burst.beats, burst.words, burst.runs, burst.ends) == (0, 8, len(burst.steps), True)
    assert all(step & FILLS and step & RUN for step in burst.steps)
    assert sum(step & GIVES > 0 for step in burst.steps) == 8


def test_every_run_of_a_convolution_is_told_once() -> None:
    random = np.random.default_rng(8)
    for _ in range(200):
        view = random_view(random)
        row, column = (int(random.integers(0, size)) for size in (view.rows, view.cols))
        part = (
            row,
            column,
            int(random.integers(1, view.rows - row + 1)),
            int(random.integers(1, view.cols - column + 1)),
        )
        found = load(view, part, Shape(int(random.choice((4, 16, 64))), 512, int(random.choice((3, 4, 16))), True))
        told = sum(burst.runs for burst in found if burst.ends) + found[-1].behind
        assert told == sum(step & RUN > 0 for burst in found for step in burst.steps)
        words = sum((step & GIVES > 0) + (step & SPILLS > 0) for burst in found for step in burst.steps)
        assert words == sum(burst.words for burst in found)
        assert not any(burst.beats == 0 for burst in found[1:]) and not any(burst.behind for burst in found[:-1])


@pytest.mark.parametrize("bus_bits", [32, 512])
def test_convolutions_come_to_their_end(bus_bits: int) -> None:
    """With few bursts under way, few runs wait before the data side: padding takes no place of theirs for ever."""
    config = EngineConfig(**{**SMALL.model_dump(), "bus_bits": bus_bits, "outstanding": 2})
    random = np.random.default_rng(bus_bits)
    for _ in range(12):
        product = picture_problem(config, random).product
        tilings = list(islice(candidates(product, config), 400))
        for at in random.choice(len(tilings), min(3, len(tilings)), replace=False):
            EngineCycles(config, 60).cycles(entries(gemm_program(product, tilings[int(at)], config)))


def test_padded_pictures_are_planned() -> None:
    assert make_plan(Product(PICTURE, Matrix(4096, 9, 8, 1), Matrix(8192, 64, 8, 4)), SMALL).cycles > 64 * 9 * 8 // 16
