"""Conversions between formats: published vectors, and integers against exact rationals."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tilewright.hdl.numeric import (
    BF16,
    FLOAT_FORMATS,
    FP16,
    FP32,
    FloatFormat,
    IntFormat,
    convert,
    from_integer,
    to_integer,
)
from tilewright.sim_tests.hdl.numeric import exact
from tilewright.sim_tests.hdl.numeric.compare import assert_codes
from tilewright.sim_tests.hdl.numeric.published import published

INTEGERS = [
    IntFormat(width, signed) for width in (2, 3, 4, 7, 8, 16, 24, 32, 33, 34, 48, 63) for signed in (True, False)
]
INTEGERS.append(IntFormat(64))


@pytest.mark.parametrize(("name", "target"), [("f32_to_bf16", BF16), ("f32_to_f16", FP16)])
def test_published_vectors(name: str, target: FloatFormat) -> None:
    given, results = published(name)
    assert results.size == 5_000
    assert_codes(target.name, convert(given, FP32, target), results, given)


@pytest.mark.parametrize("target", [fmt for fmt in FLOAT_FORMATS.values() if fmt is not FP32], ids=str)
def test_fp32_at_every_tie_of_a_narrower_format(target: FloatFormat) -> None:
    table = exact.table(target.name)[: target.largest_bits + 1]
    ties = ((table[:-1] + table[1:]) / 2).astype(np.float32)[:: 1 if target.width == 8 else 97]
    codes = np.concatenate([ties.view(np.uint32).astype(np.int64) + step for step in (-1, 0, 1)])
    codes = np.concatenate([codes[codes >= 0], codes[codes >= 0] | 1 << 31])
    want = [exact.fused(target.name, value, 1.0) for value in exact.values("fp32", codes).tolist()]
    assert_codes(target.name, convert(codes, FP32, target), want, codes)


def to_integer_exactly(number: float, target: IntFormat) -> int:
    if math.isnan(number):
        return 0
    if math.isinf(number):
        return target.max if number > 0 else target.min
    return min(max(round(Fraction(number)), target.min), target.max)


@pytest.mark.parametrize("target", INTEGERS, ids=str)
def test_every_fp8_and_many_others_to_integers(target: IntFormat) -> None:
    rng = np.random.default_rng(target.width)
    for fmt in FLOAT_FORMATS.values():
        codes = np.arange(256) if fmt.width == 8 else rng.integers(0, 1 << fmt.width, 400)
        if fmt.width > 8:  # most codes lie far away: these do not
            near = np.concatenate([np.arange(-20, 20) / 4, [target.min, target.max, target.max / 2, target.max + 1.5]])
            codes = np.concatenate([codes, convert(near.astype(np.float32).view(np.uint32), FP32, fmt)])
        want = [to_integer_exactly(number, target) for number in exact.values(fmt.name, codes).tolist()]
        assert to_integer(codes, fmt, target).tolist() == want, str(fmt)


@pytest.mark.parametrize("source", INTEGERS, ids=str)
def test_integers_to_floats(source: IntFormat) -> None:
    rng = np.random.default_rng(source.width)
    ends = (source.min, source.max, 0, 1, source.max // 2 + 1, source.max // 3)
    given = [*ends, *rng.integers(source.min, source.max, 300, dtype=np.int64, endpoint=True).tolist()]
    given += [value for value in range(-600, 600) if source.min <= value <= source.max]
    for fmt in FLOAT_FORMATS.values():
        for overflow in ("ieee", "saturate"):
            want = [exact.nearest(fmt.name, Fraction(value), overflow=overflow) for value in given]
            assert_codes(fmt.name, from_integer(given, source, fmt, overflow), want)


def test_integers_of_64_bits_are_rounded_once() -> None:
    # 1 above a tie; by way of float64 it would be a tie.
    above = (1 << 62) + (1 << 38) + 1
    assert from_integer(above, IntFormat(64), FP32) == convert(0x5E800001, FP32, FP32)


def test_formats_and_values_that_int64_does_not_hold_are_refused() -> None:
    sentence = r"^an integer format to convert must fit in int64, got uint64; nearest legal value is uint63$"
    with pytest.raises(ValueError, match=sentence):
        from_integer(0, IntFormat(64, signed=False), FP32)
    with pytest.raises(ValueError, match=sentence):
        to_integer(0, FP32, IntFormat(64, signed=False))
    with pytest.raises(ValueError, match=r"^values of int4 must be -8\.\.7, got 8; nearest legal value is 7$"):
        from_integer([0, 8], IntFormat(4), FP32)
