"""Requantisation against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.generators.reference.requantise import fixed_point, requantise
from tilewright.hdl.numeric import IntFormat

INT8 = IntFormat(8)


@given(
    acc=st.integers(-(1 << 32), (1 << 32) - 1),
    multiplier=st.integers(0, (1 << 31) - 1),
    shift=st.integers(0, 62),
    zero_point=st.integers(-128, 127),
    width=st.sampled_from((4, 8, 16)),
)
def test_one_exact_rounding(acc: int, multiplier: int, shift: int, zero_point: int, width: int) -> None:
    out = IntFormat(width)
    # Python rounds fractions half to even.
    exact = zero_point + round(Fraction(acc * multiplier, 1 << shift))
    assert requantise(acc, multiplier, shift, zero_point, out) == min(max(exact, out.min), out.max)


@pytest.mark.parametrize(("acc", "rounded"), [(1, 0), (3, 2), (5, 2), (-1, 0), (-3, -2), (-5, -2), (2, 1), (-2, -1)])
def test_ties_go_to_even(acc: int, rounded: int) -> None:
    assert requantise(acc, 1, 1, 0, INT8) == rounded


def test_all_values_of_the_format_come_out() -> None:
    sums = np.arange(-200, 200)
    assert np.array_equal(requantise(sums, 1 << 30, 30, 0, INT8), np.clip(sums, -128, 127))


def test_a_multiplier_for_each_channel() -> None:
    acc = np.array([[100, 100], [-7, -7]])
    assert requantise(acc, [1, 3], [1, 2], 5, INT8).tolist() == [[55, 80], [1, 0]]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((1 << 32, 1, 0), "acc must be -4294967296..4294967295, got 4294967296..4294967296"),
        ((1, 1 << 31, 0), "multiplier must be 0..2147483647, got 2147483648..2147483648"),
        ((1, 1, 63), "shift must be 0..62, got 63..63"),
    ],
)
def test_values_out_of_range_are_refused(arguments: tuple[int, int, int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        requantise(*arguments, 0, INT8)


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
