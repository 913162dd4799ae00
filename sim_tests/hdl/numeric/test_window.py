"""Windows: their names, and which of them hold a product, from all products of small formats."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from tilewright.hdl.numeric import (
    BF16,
    FLOAT_FORMATS,
    FP8_E4M3,
    FP8_E5M2,
    FP16,
    FP32,
    FloatFormat,
    FxFormat,
    decode,
    empty_sum,
    exact_point,
    exact_width,
    from_window,
    highest_point,
    place,
    place_products,
    product_width,
)
from tilewright.hdl.numeric.codes import Floats

SMALL = [
    FloatFormat("e2m1", 2, 1),
    FloatFormat("e3m2", 3, 2),
    FloatFormat("e2m3", 2, 3, infinities=False),
    FloatFormat("e4m1", 4, 1, infinities=False),
    FP8_E4M3,
]
PAIRS = list(itertools.combinations_with_replacement(SMALL, 2))


def products(a: FloatFormat, b: FloatFormat) -> Floats:
    """All that are finite."""
    left, right = decode(np.arange(a.sign_bit * 2), a), decode(np.arange(b.sign_bit * 2), b)
    return np.unique(np.outer(left[np.isfinite(left)], right[np.isfinite(right)]))


def test_names() -> None:
    for width in range(2, 65):
        fmt = FxFormat(width)
        assert FxFormat.parse(str(fmt)) == fmt
        assert (fmt.min, fmt.max) == (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    assert str(FxFormat(48)) == "fx48"


@pytest.mark.parametrize("name", ["", "fx", "fx048", "fx-8", "FX48", "fx48 ", "fx48\n", "int48"])
def test_names_of_nothing(name: str) -> None:
    with pytest.raises(ValueError, match=r"^format must be fx<N>, got "):
        FxFormat.parse(name)


@pytest.mark.parametrize(("width", "nearest"), [(1, 2), (65, 64), (-1, 2)])
def test_width(width: int, nearest: int) -> None:
    sentence = rf"^window width must be 2..64 bits, got {width}; nearest legal value is {nearest}$"
    with pytest.raises(ValueError, match=sentence):
        FxFormat(width)


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=str)
def test_the_narrowest_window_of_one_product(a: FloatFormat, b: FloatFormat) -> None:
    numerators = [abs(Fraction(product).numerator) for product in products(a, b).tolist() if product]
    odd = [value // (value & -value) for value in numerators]
    # All ones times all ones may be no product where it is NaN; the multiplier is as wide anyway.
    assert product_width(a, b) >= max(odd).bit_length() + 1
    assert product_width(a, b) == len(f"{(2 << a.fraction_bits) - 1:b}") + len(f"{(2 << b.fraction_bits) - 1:b}") + 1


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=str)
def test_points_from_all_products(a: FloatFormat, b: FloatFormat) -> None:
    every = products(a, b)
    lowest = exact_point(a, b)
    wide = FxFormat(64)
    assert not place(every, wide, lowest).underflow.any()
    assert place(every, wide, lowest - 1).underflow.any()
    for width in (product_width(a, b), product_width(a, b) + 5, 64):
        fmt = FxFormat(width)
        highest = highest_point(fmt, a, b)
        assert not place(every, fmt, highest).overflow.any()
        assert place(every, fmt, highest + 1).overflow.any()
    fmt = FxFormat(exact_width(a, b))
    held = place(every, fmt, lowest)
    assert not (held.overflow | held.underflow).any()
    assert highest_point(fmt, a, b) == lowest
    assert np.array_equal(np.ldexp(held.integers.astype(np.float64), -lowest), every)


def test_figures_of_common_formats() -> None:
    assert [product_width(fmt, fmt) for fmt in FLOAT_FORMATS.values()] == [17, 23, 49, 9, 7]
    assert [exact_width(fmt, fmt) for fmt in FLOAT_FORMATS.values()] == [523, 81, 555, 37, 65]
    assert exact_width(FP8_E4M3, FP8_E5M2) == 51
    assert highest_point(FxFormat(48), BF16, BF16) == 47 - 256


@pytest.mark.parametrize(("a", "b", "least"), [(BF16, BF16, 17), (FP16, FP16, 23), (BF16, FP8_E4M3, 13)])
def test_a_window_too_small_for_one_product_is_refused(a: FloatFormat, b: FloatFormat, least: int) -> None:
    place_products(0, 0, (a, b), FxFormat(least), 0)
    sentence = f"a window must hold one product of {a} and {b}, got fx{least - 1}; nearest legal value is fx{least}"
    for attempt in (
        lambda: place_products(0, 0, (a, b), FxFormat(least - 1), 0),
        lambda: highest_point(FxFormat(least - 1), a, b),
    ):
        with pytest.raises(ValueError) as caught:
            attempt()
        assert str(caught.value) == sentence


def test_points_beyond_all_products_are_refused() -> None:
    for point in (-512, 512):
        extremes = [FP32.largest**2, FP32.smallest_subnormal**2]
        assert not place(extremes, FxFormat(64), point).integers.any()
    with pytest.raises(ValueError, match=r"^point must be -512\.\.512, got 513; nearest legal value is 512$"):
        place(0.0, FxFormat(48), 513)
    with pytest.raises(ValueError, match=r"^point must be -512\.\.512, got -513; nearest legal value is -512$"):
        from_window(empty_sum(()), -513)
    with pytest.raises(ValueError, match=r"^point must be one integer, got an array of shape \(1,\)$"):
        place(0.0, FxFormat(48), [3])  # type: ignore[arg-type]
