"""The finishing model against exact fractions and plain loops."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tilewright.generators.reference.finish import finish_floats, finish_integers, max_pool, residual_sum, row_sums
from tilewright.hdl.numeric import BF16, FP8_E4M3, FP16, FP32, FxFormat, IntFormat, decode, encode
from tilewright.hdl.numeric.functions import FUNCTIONS


def finished(exact: int, scale: Fraction, zero: int, out: IntFormat, low: int, high: int) -> int:
    """One result by fractions; Python rounds ties to even."""
    held = min(max(exact, -(1 << 32)), (1 << 32) - 1)
    rounded = min(max(zero + round(held * scale), out.min), out.max)
    return max(min(rounded, high), low)


@pytest.mark.parametrize("name", ["int8", "uint8", "int2", "uint16"])
def test_integers_by_fractions(name: str) -> None:
    out, rng = IntFormat.parse(name), np.random.default_rng(1)
    for _ in range(60):
        acc = rng.integers(-(1 << 39), 1 << 39, (3, 5)) >> rng.integers(0, 36, (3, 5))
        multipliers, shifts = rng.integers(0, 1 << 31, 5), rng.integers(25, 63, 5)
        zero_b, sums = int(rng.integers(-255, 256)), rng.integers(-(1 << 20), 1 << 20, 3)
        zero, low, high = (int(value) for value in rng.integers(out.min, out.max + 1, 3))
        found = finish_integers(acc, out, multipliers, shifts, zero, (low, high), zero_b=zero_b, sums=sums)
        for (row, column), value in np.ndenumerate(acc):
            scale = Fraction(int(multipliers[column]), 1 << int(shifts[column]))
            exact = int(value) - zero_b * int(sums[row])
            assert found[row, column] == finished(exact, scale, zero, out, low, high)


def test_a_correction_of_the_largest_accumulators() -> None:
    ends = np.array([[-(1 << 63), 1 - (1 << 63)], [(1 << 63) - 1, (1 << 63) - 2]])
    for zero in (-2048, 2047):
        found = finish_integers(ends, IntFormat(16), 1, 31, zero_b=zero, sums=[(1 << 31) - 1, -(1 << 31)])
        assert found.tolist() == [[-2, -2], [2, 2]]
        found = finish_integers(ends, IntFormat(16), 1, 31, zero_b=zero, sums=[-(1 << 31), (1 << 31) - 1])
        assert found.tolist() == [[-2, -2], [2, 2]]


def test_sums_by_fractions() -> None:
    out, rng = IntFormat(8), np.random.default_rng(2)
    x, y = rng.integers(-128, 128, (2, 20, 10))
    left, right, scale = (-7, 5_000_001), (99, 8_388_607), (1_900_000_000, 54)
    found = residual_sum(x, y, out, left, right, scale, -3, (-100, 90))
    for index, value in np.ndenumerate(found):
        total = (int(x[index]) - left[0]) * left[1] + (int(y[index]) - right[0]) * right[1]
        assert value == finished(total, Fraction(scale[0], 1 << scale[1]), -3, out, -100, 90)


def test_a_zero_point_of_b_by_row_sums() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(-128, 128, (4, 30)), rng.integers(0, 256, (30, 6))
    parts = row_sums(a[:, 17:], 13, row_sums(a[:, :17], 13))
    assert np.array_equal(parts, a.sum(axis=1))
    corrected = finish_integers(a @ b, IntFormat(16), 1 << 30, 32, zero_b=77, sums=parts)
    assert np.array_equal(corrected, finish_integers(a @ (b - 77), IntFormat(16), 1 << 30, 32))
    assert row_sums([[127, 1]], 8).tolist() == [-128]


def test_floats_round_once_but_for_functions() -> None:
    values = np.array([1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-20, -(2.0**-140), 500.0, -0.0, np.inf, np.nan])
    codes = encode(values, FP32)
    assert decode(finish_floats(codes, FP32, BF16), BF16)[:2].tolist() == [1.0, 1 + 2.0**-7]
    assert finish_floats(codes, FP32, BF16, "relu").tolist() == [0x3F80, 0x3F81, 0, 0x43FA, 0, 0x7F80, BF16.nan_bits]
    assert finish_floats(codes, FP32, FP8_E4M3).tolist() == [0x38, 0x38, 0x80, 0x7F, 0x80, 0x7F, 0x7F]
    assert finish_floats(codes, FP32, FP8_E4M3, "relu", overflow="saturate").tolist() == [56, 56, 0, 126, 0, 126, 127]
    window = FxFormat(20)
    assert decode(finish_floats([5, (1 << 20) - 6, 1 << 20], window, FP16, point=2), FP16)[:2].tolist() == [1.25, -1.5]
    with pytest.raises(ValueError, match=r"^activation must be none, relu or one of sigmoid, .*, got 'exp'$"):
        finish_floats(codes, FP32, BF16, "exp")


@pytest.mark.parametrize("name", ["sigmoid", "tanh", "silu", "gelu"])
def test_functions_are_near_real_ones(name: str) -> None:
    x = np.arange(-64, 65) / 16  # bf16 holds them
    real = FUNCTIONS[name].value(x)
    found = decode(finish_floats(encode(x, FP32), FP32, FP16, name), FP16)
    assert np.all(np.abs(found - real) <= np.abs(real) * (0.52 * 2.0**-7 + 2.0**-11) + 2.0**-25)


def test_maxima_by_loops() -> None:
    rng = np.random.default_rng(5)
    picture = rng.integers(-128, 128, (4, 6, 3))
    found = max_pool(picture, IntFormat(8))
    assert found.shape == (2, 3, 3)
    for (line, pixel, channel), value in np.ndenumerate(found):
        assert value == max(int(picture[2 * line + j, 2 * pixel + i, channel]) for j in (0, 1) for i in (0, 1))
    floats = encode(rng.integers(-8, 8, (2, 8, 1)) / 4, BF16).astype(np.int64)
    want = decode(floats, BF16).reshape(1, 2, 4, 2, 1).max(axis=(1, 3))
    assert np.array_equal(decode(max_pool(floats, BF16), BF16), want)
