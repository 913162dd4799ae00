"""The requantiser against the model, with every rounding, and how late its results come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.arith.requantise import Requantise
from tilewright.hdl.numeric import IntFormat, requantise, wrap
from tilewright.sim_tests.hdl.arith.unit_bench import bench
from tilewright.sim_tests.hdl.arith.window_blocks import REQUANTISERS

Cases = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
INT8 = IntFormat(8)


def accumulators(width: int) -> NDArray[np.int64]:
    limit = 1 << (width - 1)
    near = [edge + step for edge in (-limit, 0, limit - 1) for step in (-2, -1, 0, 1, 2)]
    return np.array([acc for acc in near if -limit <= acc < limit])


def corners(block: Requantise) -> Cases:
    """Extremes of every input with each other."""
    factors = (0, 1, 2, 3, 1 << 30, (1 << 31) - 2, (1 << 31) - 1)
    zeros = (block.out.min, 0, block.out.max)
    grid = np.meshgrid(accumulators(block.acc_width), factors, (0, 1, 2, 29, 30, 31, 32, 33, 61, 62), zeros)
    acc, factor, shift, zero = (axis.ravel() for axis in grid)
    return acc, factor, shift, zero


def ties(block: Requantise, rng: np.random.Generator, count: int) -> Cases:
    """Odd numbers of halves of both signs whose quotients are small, and products just beside them."""
    acc_bits = rng.integers(0, min(block.acc_width - 1, block.out.width + 3), count)
    acc = (rng.integers(0, 1 << 20, count) & ((1 << acc_bits) - 1)) | 1
    factor = np.int64(1) << rng.integers(0, 31, count)
    shift = 1 + np.log2(factor).astype(np.int64)
    doubled = rng.integers(0, 2, count)  # the quotient in an even accumulator, one place higher
    acc = np.minimum(acc << doubled, (1 << (block.acc_width - 1)) - 1)
    acc = np.where(rng.random(count) < 0.5, -acc, acc)
    beside = np.where((factor > 1) & (factor < 1 << 30), rng.choice((0, 0, 1, -1), count), 0)
    zero = rng.integers(block.out.min, block.out.max + 1, count)
    return acc, factor + beside, shift + doubled, np.where(rng.random(count) < 0.3, zero, 0)


def anything(block: Requantise, rng: np.random.Generator, count: int) -> Cases:
    """Numbers of all lengths; half of the quotients lie near the range of the result."""
    limit = 1 << (block.acc_width - 1)
    acc = rng.integers(-limit, limit, count) >> rng.integers(0, block.acc_width, count)
    factor = rng.integers(0, 1 << 31, count) >> rng.choice((0, 0, 0, 5, 30), count)
    sizes = np.log2(np.abs(acc * factor) + 1).astype(np.int64)
    aimed = np.clip(sizes - rng.integers(0, block.out.width + 2, count), 0, 62)
    shift = np.where(rng.random(count) < 0.5, aimed, rng.integers(0, 63, count))
    return acc, factor, shift, rng.integers(block.out.min, block.out.max + 1, count)


def wanted(block: Requantise, cases: Cases) -> NDArray[np.int64]:
    acc, factor, shift, zero = cases
    result = np.empty(acc.shape, dtype=np.int64)
    for value in np.unique(zero).tolist():  # the model has one zero point at a time
        here = zero == value
        result[here] = requantise(acc[here], factor[here], shift[here], value, block.out, block.rounding)
    return result


def outcome(label: str, cases: Cases) -> NDArray[np.int64]:
    late = REQUANTISERS[label].latency
    names = ("acc", "multiplier", "shift", "zero_point")
    inputs = {name: [*values.tolist(), *[0] * late] for name, values in zip(names, cases, strict=True)}
    codes = bench().wiggle(label, inputs)["result"][late:]
    return wrap(codes, REQUANTISERS[label].out)


@pytest.mark.parametrize("label", REQUANTISERS)
def test_every_result_is_the_models(label: str) -> None:
    block, rng = REQUANTISERS[label], np.random.default_rng(REQUANTISERS[label].acc_width)
    parts = corners(block), ties(block, rng, 3_000), anything(block, rng, 6_000)
    acc, factor, shift, zero = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    cases = acc, factor, shift, zero
    want, got = wanted(block, cases), outcome(label, cases)
    wrong = np.flatnonzero(got != want)
    assert not wrong.size, f"{[int(part[wrong[0]]) for part in cases]}: {got[wrong[0]]} is not {want[wrong[0]]}"
    if block.out.width <= 8:
        assert set(got.tolist()) == set(range(block.out.min, block.out.max + 1))


@pytest.mark.parametrize(
    ("label", "want"),
    [
        ("even_int8", [-2, -2, -2, 0, 0, 0, 2, 2, 2]),
        ("away_int8", [-3, -2, -2, -1, 0, 1, 2, 2, 3]),
        ("twice_int8", [-2, -2, -1, 0, 0, 1, 2, 2, 3]),
    ],
)
def test_ties_of_small_numbers(label: str, want: list[int]) -> None:
    acc = np.array([-5, -4, -3, -1, 0, 1, 3, 4, 5])
    one, zero = np.ones(9, dtype=np.int64), np.zeros(9, dtype=np.int64)
    assert outcome(label, (acc, one, one, zero)).tolist() == want
    # The same ties 31 places on, where double rounding meets them in its second step: away from zero.
    far = outcome(label, (acc, one << 30, one * 31, zero)).tolist()
    assert far == want
    farther = outcome(label, (acc << 20, one << 30, one * 51, zero)).tolist()
    assert farther == ([-3, -2, -2, -1, 0, 1, 2, 2, 3] if label == "twice_int8" else want)


def test_double_rounding_ends_beside_the_nearest() -> None:
    cases = (np.array([(1 << 31) - 1]), np.array([1 << 30]), np.array([62]), np.array([0]))
    assert [outcome(label, cases).item() for label in ("even_int8", "away_int8", "twice_int8")] == [0, 0, 1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((34, INT8), "acc_width must be 2..33, got 34; nearest legal value is 33"),
        ((1, INT8), "acc_width must be 2..33, got 1; nearest legal value is 2"),
        ((32, IntFormat(17, False)), "out must be of at most 16 bits, got uint17; nearest legal value is uint16"),
        ((32, INT8, "up"), "rounding must be one of half_even, half_away, double_rounding, got 'up'"),
        ((32, INT8, "half_even", 6), "pipeline must be 0..5, got 6; nearest legal value is 5"),
        ((32, INT8, "half_even", -1), "pipeline must be 0..5, got -1; nearest legal value is 0"),
    ],
)
def test_what_is_refused(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        Requantise(*arguments)
    assert str(caught.value) == sentence
