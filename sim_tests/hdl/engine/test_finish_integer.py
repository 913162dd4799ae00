"""Integer results: every 8-bit result and the edges between them, ties, extremes, clamps, records back to back."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.hdl.engine.finish_blocks import INTEGERS
from tilewright.sim_tests.hdl.engine.finish_runs import Matrix, block, finished, integer_matrix
from tilewright.sim_tests.hdl.stream.bench import PACES

Codes = NDArray[np.int64]


def formats(label: str) -> tuple[IntFormat, IntFormat]:
    acc, out = INTEGERS[label].acc, INTEGERS[label].result
    assert isinstance(acc, IntFormat) and isinstance(out, IntFormat)
    return acc, out


def as_matrix(values: list[int] | Codes, columns: int) -> Codes:
    """Values in rows; the last of them again at the end of the last row."""
    flat = np.asarray(values, np.int64)
    return np.pad(flat, (0, -len(flat) % columns), mode="edge").reshape(-1, columns)


def edges(acc: IntFormat) -> list[int]:
    near = [edge + step for edge in (acc.min, -(1 << 32), 0, 1 << 32, acc.max) for step in (-2, -1, 0, 1, 2)]
    return sorted({value for value in near if acc.min <= value <= acc.max})


def random_matrix(label: str, rng: np.random.Generator, rows: int, columns: int) -> Matrix:
    acc_format, out = formats(label)
    acc = rng.integers(acc_format.min, acc_format.max, (rows, columns), endpoint=True)
    acc >>= rng.integers(0, acc_format.width, acc.shape)
    size = int(rng.integers(0, acc_format.width))
    multiplier = int(rng.integers(0, 1 << 31))
    shift = min(max(size + 31 - out.width, 0), 62)
    zero = int(rng.integers(out.min, out.max + 1))
    low, high = (int(limit) for limit in rng.integers(out.min, out.max + 1, 2))
    limits = None if rng.random() < 0.5 else (low, high)
    return integer_matrix(label, acc, multiplier=multiplier, shift=shift, zero_point=zero, limits=limits)


@pytest.mark.parametrize("label", ["int8", "uint8"])
def test_every_result_and_every_tie_between_two(label: str) -> None:
    _, out = formats(label)
    quarters = as_matrix(np.arange(4 * out.min - 9, 4 * out.max + 10), 7)
    matrices = []
    for zero in (0, out.min, out.max, 3):
        # Quarters of a result: multiplier 2**29, shift 31.
        matrices.append(integer_matrix(label, quarters, multiplier=1 << 29, shift=31, zero_point=zero))
    assert set(np.unique(matrices[0].results)) == set(range(out.min, out.max + 1))
    finished(label, matrices)


@pytest.mark.parametrize("label", INTEGERS)
def test_extremes_of_accumulators_with_extremes_of_records(label: str) -> None:
    acc, out = formats(label)
    values = as_matrix(edges(acc), 3)
    matrices = [
        integer_matrix(label, values, multiplier=multiplier, shift=shift, zero_point=zero)
        for multiplier in (0, 1, (1 << 30) + 1, (1 << 31) - 1)
        for shift in (0, 1, 31, 62)
        for zero in (out.min, out.max)
    ]
    finished(label, matrices)


@pytest.mark.parametrize(("label", "columns"), [("uint8", 1), ("uint8", 2)])
def test_accumulators_beyond_33_bits_saturate_to_them(label: str, columns: int) -> None:
    beyond = as_matrix([1 << 32, (1 << 32) - 1, 1 << 46, -(1 << 32) - 1, -(1 << 46)], columns)
    # With a shift of 25 the saturated ones are 128 and -128: no result saturates.
    matrix = integer_matrix(label, beyond, multiplier=1, shift=25, zero_point=127)
    assert {127 + 128, 0} >= set(np.unique(matrix.results))
    finished(label, [matrix])
    finished(label, [integer_matrix(label, beyond, multiplier=1, shift=28, zero_point=100)])


@pytest.mark.parametrize("label", INTEGERS)
def test_clamps_make_rectifiers(label: str) -> None:
    _, out = formats(label)
    values = as_matrix(np.arange(-200, 200, 3), 5)
    middle = (out.min + out.max) // 2
    pairs = [(middle, out.max), (middle, middle), (out.min, middle), (out.max, out.max), (out.min, out.min)]
    pairs.append((out.max, out.min))  # the lower limit wins
    finished(label, [integer_matrix(label, values, multiplier=1, shift=0, zero_point=out.min, limits=p) for p in pairs])


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("label", ["int8", "uint16", "int2"])
def test_matrices_of_all_shapes_with_records_of_their_own(label: str, pace: str) -> None:
    rng, lanes = np.random.default_rng(7), INTEGERS[label].lanes
    shapes = [(1, 1), (1, lanes), (3, lanes + 1), (2, 2 * lanes), (1, 1), (5, 3 * lanes - 1), (17, lanes)]
    finished(label, [random_matrix(label, rng, *shape) for shape in shapes * 4], pace, seed=3)


@pytest.mark.parametrize("label", INTEGERS)
def test_random_records(label: str) -> None:
    rng = np.random.default_rng(11)
    finished(label, [random_matrix(label, rng, 4, 6) for _ in range(120)])


@pytest.mark.parametrize("label", INTEGERS)
def test_latency_and_throughput_are_those_of_the_datasheet(label: str) -> None:
    lanes = INTEGERS[label].lanes
    matrices = [random_matrix(label, np.random.default_rng(2), rows, lanes) for rows in (1, 1, 1, 5, 40)]
    result = finished(label, matrices)
    taken, given = result[f"{label}_i"].cycle, result[f"{label}_o"]
    assert given.offer[0] - taken[0] == block(label).latency
    assert set(np.diff(given.cycle)) == {1}
