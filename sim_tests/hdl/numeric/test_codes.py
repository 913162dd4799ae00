"""Decoding and encoding against Python's and numpy's own formats, and at every tie."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.numeric import BF16, FLOAT_FORMATS, FP8_E4M3, FP16, FP32, FloatFormat, decode, encode
from tilewright.hdl.numeric.codes import encode_scaled
from tilewright.sim_tests.hdl.numeric import exact
from tilewright.sim_tests.hdl.numeric.compare import assert_codes

NARROW = [fmt for fmt in FLOAT_FORMATS.values() if fmt.width <= 16]


def same(left: NDArray[np.float64], right: NDArray[np.float64]) -> bool:
    """Equal with the signs of zeros, NaNs aside."""
    return np.array_equal(left, right, equal_nan=True) and np.array_equal(
        np.signbit(left[~np.isnan(left)]), np.signbit(right[~np.isnan(right)])
    )


@pytest.mark.parametrize("fmt", NARROW, ids=str)
def test_every_code_there_and_back(fmt: FloatFormat) -> None:
    codes = np.arange(1 << fmt.width)
    values = decode(codes, fmt)
    assert same(values, exact.table(fmt.name))
    for overflow in ("ieee", "saturate"):
        finite = np.isfinite(values)
        assert np.array_equal(encode(values[finite], fmt, overflow), codes[finite])
    assert_codes(fmt.name, encode(values, fmt), codes)
    assert encode(values, fmt).dtype == fmt.dtype


def test_fp32_codes_there_and_back() -> None:
    rng = np.random.default_rng(32)
    edges = np.concatenate([edge + np.arange(-4, 5) for edge in (4, 1 << 23, 0x7F800000, 1 << 31)])
    codes = np.concatenate([edges, rng.integers(0, 1 << 32, 200_000), rng.integers(0, 1 << 23, 20_000)])
    values = decode(codes, FP32)
    assert same(values, exact.values("fp32", codes))
    assert_codes("fp32", encode(values, FP32), codes)


@pytest.mark.parametrize("fmt", NARROW, ids=str)
def test_every_tie_goes_to_the_even_code_and_no_near_one_does(fmt: FloatFormat) -> None:
    lower = np.arange(fmt.largest_bits)
    ties = (exact.table(fmt.name)[lower] + exact.table(fmt.name)[lower + 1]) / 2
    for sign, bit in ((1.0, 0), (-1.0, fmt.sign_bit)):
        assert np.array_equal(encode(sign * ties, fmt), lower + lower % 2 | bit)
        assert np.array_equal(encode(sign * np.nextafter(ties, 0), fmt), lower | bit)
        assert np.array_equal(encode(sign * np.nextafter(ties, np.inf), fmt), lower + 1 | bit)


@pytest.mark.parametrize("fmt", FLOAT_FORMATS.values(), ids=str)
def test_values_of_all_sizes(fmt: FloatFormat) -> None:
    rng = np.random.default_rng(fmt.width)
    near = np.ldexp(rng.uniform(-2, 2, 2_000), rng.integers(fmt.last_place - 3, fmt.emax + 3, 2_000))
    anywhere = rng.integers(-(1 << 63), 1 << 63, 1_000).view(np.float64)
    numbers = np.concatenate([near, anywhere[np.isfinite(anywhere)], [5e-324, -5e-324, 1.7e308, -1.7e308]])
    for overflow in ("ieee", "saturate"):
        want = [exact.fused(fmt.name, number, 1.0, overflow=overflow) for number in numbers.tolist()]
        assert_codes(fmt.name, encode(numbers, fmt, overflow), want, numbers.view(np.int64))


@pytest.mark.parametrize("fmt", FLOAT_FORMATS.values(), ids=str)
def test_overflow_conventions(fmt: FloatFormat) -> None:
    # Half a place above the largest value is the first to overflow; the largest code of e4m3 is even, so its tie stays.
    step = 2.0 ** (fmt.emax - fmt.fraction_bits)
    first = fmt.largest + step / 2
    if fmt is FP8_E4M3:
        assert encode(first, fmt) == fmt.largest_bits
        first = math.nextafter(first, math.inf)
    assert encode(math.nextafter(first, 0), fmt) == fmt.largest_bits
    infinite = fmt.nan_bits if fmt.infinity_bits is None else fmt.infinity_bits
    for number in (first, math.inf):
        assert encode(number, fmt) == encode(number, fmt, "ieee") == infinite
        assert encode(number, fmt, "saturate") == fmt.largest_bits
        assert encode(-number, fmt, "saturate") == fmt.largest_bits | fmt.sign_bit
        assert encode(-number, fmt) == (infinite if fmt is FP8_E4M3 else infinite | fmt.sign_bit)
    for sign in (1, -1):
        for overflow in ("ieee", "saturate"):
            assert encode(math.copysign(math.nan, sign), fmt, overflow) == fmt.nan_bits


def test_magnitudes_of_64_bits_are_rounded_once() -> None:
    # By way of float64 this would be a tie.
    above = np.array((1 << 63) + (1 << 39) + 1, dtype=np.uint64)
    assert decode(encode_scaled(False, above, 0, FP32), FP32) == 2.0**63 + 2.0**40
    full = np.array((1 << 64) - 1, dtype=np.uint64)
    assert decode(encode_scaled(True, full, -64, BF16), BF16) == -1
    # Around half of the smallest subnormal value.
    half = np.array([(1 << 63) - 1, 1 << 63, (1 << 63) + 1], dtype=np.uint64)
    assert encode_scaled(False, half, -63 - 150, FP32).tolist() == [0, 0, 1]
    assert encode_scaled(False, half, -63 - 151, FP32).tolist() == [0, 0, 0]
    assert encode_scaled(True, np.array(0, dtype=np.uint64), 400, FP32) == FP32.sign_bit


def test_shapes_stay() -> None:
    codes = np.arange(24).reshape(2, 3, 4).T
    assert np.array_equal(encode(decode(codes, FP16), FP16), codes)
    assert decode(1, FP16).shape == encode(1.0, FP16).shape == ()
    assert decode([], FP16).shape == encode([], FP16).shape == (0,)


@pytest.mark.parametrize(
    ("bits", "sentence"),
    [
        ([0, -1], "codes of fp16 must be 0..65535, got -1; nearest legal value is 0"),
        ([0, 1 << 16], "codes of fp16 must be 0..65535, got 65536; nearest legal value is 65535"),
        ([1.0], "codes of fp16 must be integers of at most 64 bits, got an array of float64"),
        ([True], "codes of fp16 must be integers of at most 64 bits, got an array of bool"),
        ([1 << 64], "codes of fp16 must be integers of at most 64 bits, got an array of object"),
    ],
)
def test_what_is_no_code_is_refused(bits: list[int], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        decode(bits, FP16)
    assert str(caught.value) == sentence


def test_what_float64_does_not_hold_is_refused() -> None:
    assert decode(encode(-(1 << 53), FP32), FP32) == -(2.0**53)
    with pytest.raises(ValueError, match=r"^values that float64 holds exactly must be -9007199254740992\.\."):
        encode((1 << 53) + 1, FP32)
    for other in (np.complex128, np.complex64, np.bool_, np.str_):
        with pytest.raises(
            ValueError, match=r"^values must be integers or floats of at most 64 bits, got an array of "
        ):
            encode(np.zeros(1, dtype=other), FP32)


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="the longest float here is float64")
def test_floats_beyond_64_bits_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^values must be integers or floats of at most 64 bits, got an array of float"
    ):
        encode(np.zeros(1, dtype=np.longdouble), FP32)


def test_other_overflow_conventions_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^overflow must be one of ieee, saturate, got 'wrap'$"):
        encode(1.0, FP8_E4M3, "wrap")  # type: ignore[arg-type]
