"""Requantisation against integers and exact fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.hdl.numeric import IntFormat, fixed_point, requantise
from tilewright.hdl.numeric.requantise import Rounding

INT8 = IntFormat(8)
ROUNDINGS: tuple[Rounding, ...] = ("half_even", "half_away", "double_rounding")


def half_away(exact: Fraction) -> int:
    magnitude = int(abs(exact) + Fraction(1, 2))
    return magnitude if exact >= 0 else -magnitude


def doubling_high_multiply(a: int, b: int) -> int:
    """TensorFlow Lite's SaturatingRoundingDoublingHighMul in C's integers: a division drops the fraction."""
    product = a * b
    nudged = product + ((1 << 30) if product >= 0 else 1 - (1 << 30))
    return nudged // (1 << 31) if nudged >= 0 else -(-nudged // (1 << 31))


def divide_by_power_of_two(x: int, exponent: int) -> int:
    """TensorFlow Lite's RoundingDivideByPOT."""
    mask = (1 << exponent) - 1
    threshold = (mask >> 1) + (1 if x < 0 else 0)
    return (x >> exponent) + (1 if x & mask > threshold else 0)


def tensorflow(acc: int, multiplier: int, shift: int) -> int:
    """MultiplyByQuantizedMultiplier: ``shift`` counts the 31 places of its high multiplication."""
    left, right = max(31 - shift, 0), max(shift - 31, 0)
    return divide_by_power_of_two(doubling_high_multiply(acc << left, multiplier), right)


RIGHT: dict[Rounding, Callable[[int, int, int], int]] = {
    "half_even": lambda acc, multiplier, shift: round(Fraction(acc * multiplier, 1 << shift)),
    "half_away": lambda acc, multiplier, shift: half_away(Fraction(acc * multiplier, 1 << shift)),
    "double_rounding": tensorflow,
}
Cases = list[tuple[int, int, int]]


def anything(rng: np.random.Generator, count: int) -> Cases:
    acc = rng.integers(-(1 << 32), 1 << 32, count) >> rng.integers(0, 33, count)
    multiplier = rng.integers(0, 1 << 31, count) >> rng.choice((0, 0, 0, 5, 30), count)
    return list(zip(acc.tolist(), multiplier.tolist(), rng.integers(0, 63, count).tolist(), strict=True))


def ties(rng: np.random.Generator, count: int) -> Cases:
    """An odd number of halves, and one unit of the accumulator beside it."""
    shift = rng.integers(1, 32, count)
    odd = 2 * rng.integers(-(1 << 20), 1 << 20, count) + 1
    split = np.minimum(shift - 1, rng.integers(0, 11, count))
    acc, multiplier = odd << split, np.int64(1) << (shift - 1 - split)
    beside = acc + rng.choice((0, 0, 1, -1), count)
    return list(zip(beside.tolist(), multiplier.tolist(), shift.tolist(), strict=True))


def corners() -> Cases:
    accumulators = (-(1 << 32), 1 - (1 << 32), (1 << 32) - 1, -(1 << 31), (1 << 31) - 1, -1, 0, 1)
    factors = (0, 1, 1 << 30, (1 << 31) - 1)
    return [(acc, factor, shift) for acc in accumulators for factor in factors for shift in (0, 1, 30, 31, 32, 61, 62)]


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("zero_point", [-128, 0, 3])
def test_each_channel_against_exact_numbers(rounding: Rounding, zero_point: int) -> None:
    rng = np.random.default_rng(31)
    cases = anything(rng, 12_000) + ties(rng, 6_000) + corners()
    acc, multiplier, shift = (np.array(column) for column in zip(*cases, strict=True))
    out = IntFormat(8 if zero_point == 3 else 32)
    want = [min(max(RIGHT[rounding](*case) + zero_point, out.min), out.max) for case in cases]
    got = requantise(acc, multiplier, shift, zero_point, out, rounding)
    wrong = np.flatnonzero(got != want)
    assert not wrong.size, f"{cases[wrong[0]]}: {got[wrong[0]]} is not {want[wrong[0]]}"


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_one_multiplier_for_a_tensor(rounding: Rounding) -> None:
    acc = np.arange(-600, 600).reshape(3, 20, 20)
    want = [min(max(RIGHT[rounding](value, 3, 3) + 1, -128), 127) for value in acc.ravel().tolist()]
    got = requantise(acc, 3, 3, 1, INT8, rounding)
    assert got.shape == acc.shape
    assert got.ravel().tolist() == want


@pytest.mark.parametrize(
    ("rounding", "want"),
    [
        ("half_even", [-2, -2, -2, 0, 0, 0, 2, 2, 2]),
        ("half_away", [-3, -2, -2, -1, 0, 1, 2, 2, 3]),
        ("double_rounding", [-2, -2, -1, 0, 0, 1, 2, 2, 3]),
    ],
)
def test_ties_of_small_numbers(rounding: Rounding, want: list[int]) -> None:
    assert requantise([-5, -4, -3, -1, 0, 1, 3, 4, 5], 1, 1, 0, INT8, rounding).tolist() == want


def test_double_rounding_ends_beside_the_nearest_and_single_does_not() -> None:
    # 0.5 - 2**-33 becomes half a place first, then a whole one.
    acc, multiplier, shift = (1 << 32) - 1, 1 << 30, 62
    assert [int(requantise(acc, multiplier, shift, 0, INT8, rounding)) for rounding in ROUNDINGS] == [1, 1, 1]
    assert [int(requantise(acc >> 1, multiplier, shift, 0, INT8, rounding)) for rounding in ROUNDINGS] == [0, 0, 1]


def test_a_multiplier_and_a_shift_for_each_channel() -> None:
    acc = np.array([[100, 100], [-7, -7]])
    assert requantise(acc, [1, 3], [1, 2], 5, INT8).tolist() == [[55, 80], [1, 0]]
    assert requantise(acc, 3, [1, 2], 5, INT8).tolist() == [[127, 80], [-5, 0]]


def test_shapes_stay() -> None:
    assert requantise(5, 1, 0, 0, INT8).shape == ()
    assert requantise(np.zeros((0, 4), int), [1] * 4, 0, 0, INT8).shape == (0, 4)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            (1 << 32, 1, 0, 0, INT8),
            "acc must be -4294967296..4294967295, got 4294967296; nearest legal value is 4294967295",
        ),
        ((1, -1, 0, 0, INT8), "multiplier must be 0..2147483647, got -1; nearest legal value is 0"),
        (
            (1, 1 << 31, 0, 0, INT8),
            "multiplier must be 0..2147483647, got 2147483648; nearest legal value is 2147483647",
        ),
        ((1, 1, 63, 0, INT8), "shift must be 0..62, got 63; nearest legal value is 62"),
        ((1, 1, 0, 128, INT8), "zero_point must be -128..127, got 128; nearest legal value is 127"),
        ((1, 1, 0, [0], INT8), "zero_point must be one integer, got an array of shape (1,)"),
        ((1, 1, 0, 0, IntFormat(33)), "out must be of at most 32 bits, got int33; nearest legal value is int32"),
        ((1, 0.5, 0, 0, INT8), "multiplier must be integers of at most 64 bits, got an array of float64"),
        (
            ([[1, 2, 3]], [1, 1], 0, 0, INT8),
            "multiplier must be one integer or one for each of 3 channels, got an array of shape (2,)",
        ),
        ((1, 1, [1], 0, INT8), "shift must be one integer or one for each of no channels, got an array of shape (1,)"),
        ((1, 1, 0, 0, INT8, "up"), "rounding must be one of half_even, half_away, double_rounding, got 'up'"),
    ],
)
def test_what_is_refused(arguments: tuple[int, int, int, int, IntFormat], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        requantise(*arguments)
    assert str(caught.value) == sentence


@given(st.floats(2**-32, 2**31, exclude_max=True))
def test_the_fixed_point_number_is_the_nearest(scale: float) -> None:
    if scale * 2.0**-31 > 1 - 2.0**-32:  # would round up to 2**31
        return
    multiplier, shift = fixed_point(scale)
    assert 1 << 30 <= multiplier < 1 << 31
    assert abs(Fraction(multiplier, 1 << shift) / Fraction(scale) - 1) <= Fraction(1, 1 << 31)


@pytest.mark.parametrize("scale", [0.0, -1.0, 2.0**-33, 2.0**31])
def test_scales_out_of_range_are_refused(scale: float) -> None:
    with pytest.raises(ValueError, match=r"scale must be at least 2\*\*-32 and below 2\*\*31"):
        fixed_point(scale)
