"""Products, sums and fused multiply-adds against exact rationals and published vectors."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike

from tilewright.hdl.numeric import (
    BF16,
    FLOAT_FORMATS,
    FP8_E4M3,
    FP16,
    FP32,
    FloatFormat,
    add,
    encode,
    fused_multiply_add,
    multiply,
)
from tilewright.hdl.numeric.codes import Codes
from tilewright.sim_tests.hdl.numeric import exact
from tilewright.sim_tests.hdl.numeric.compare import assert_codes
from tilewright.sim_tests.hdl.numeric.hard import hard_cases
from tilewright.sim_tests.hdl.numeric.published import published

FP8 = ("fp8_e4m3", "fp8_e5m2")
OPERATIONS: dict[str, Callable[..., Codes]] = {"mul": multiply, "add": add, "mulAdd": fused_multiply_add}


def fused_codes(
    names: tuple[str, str, str],
    a: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    out: str = "fp32",
    overflow: exact.Overflow = "ieee",
) -> list[int]:
    """What is right for each a * b + c."""
    columns = (exact.values(name, codes).tolist() for name, codes in zip(names, (a, b, c), strict=True))
    return [exact.fused(out, x, y, z, overflow) for x, y, z in zip(*columns, strict=True)]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("prefix", "fmt"), [("f16", FP16), ("f32", FP32)])
def test_published_vectors(prefix: str, fmt: FloatFormat, operation: str) -> None:
    *operands, results = published(f"{prefix}_{operation}")
    assert results.size == 15_000
    got = OPERATIONS[operation](*operands, (fmt,) * len(operands), fmt)
    assert_codes(fmt.name, got, results, *operands)


@pytest.mark.parametrize("a", FP8)
@pytest.mark.parametrize("b", FP8)
def test_every_product_of_two_8_bit_floats(a: str, b: str) -> None:
    left, right = exact.table(a).tolist(), exact.table(b).tolist()
    want = [[exact.fused("fp32", x, y) for y in right] for x in left]
    codes = np.arange(256)
    got = multiply(codes[:, None], codes, (FloatFormat.parse(a), FloatFormat.parse(b)))
    assert_codes("fp32", got, want, codes[:, None], codes)


@pytest.mark.parametrize("overflow", ["ieee", "saturate"])
@pytest.mark.parametrize("name", FP8)
def test_every_product_of_two_8_bit_floats_in_their_own_format(name: str, overflow: exact.Overflow) -> None:
    values, codes, fmt = exact.table(name).tolist(), np.arange(256), FloatFormat.parse(name)
    want = [[exact.fused(name, x, y, overflow=overflow) for y in values] for x in values]
    got = multiply(codes[:, None], codes, (fmt, fmt), fmt, overflow)
    assert_codes(name, got, want, codes[:, None], codes)


@pytest.mark.parametrize("name", FLOAT_FORMATS)
def test_hard_cases_of_fused_multiply_add(name: str) -> None:
    fmt = FloatFormat.parse(name)
    a, b, c = hard_cases(name, 20_000)
    got = fused_multiply_add(a, b, c, (fmt, fmt, FP32))
    assert_codes("fp32", got, fused_codes((name, name, "fp32"), a, b, c), a, b, c)


@pytest.mark.parametrize("names", list(itertools.permutations(FLOAT_FORMATS, 2)), ids="-".join)
def test_operands_of_two_formats(names: tuple[str, str]) -> None:
    (a, _, c), (_, b, _) = (hard_cases(name, 500) for name in names)
    fmt_a, fmt_b = (FloatFormat.parse(name) for name in names)
    want = fused_codes((*names, "fp32"), a, b, c)
    assert_codes("fp32", fused_multiply_add(a, b, c, (fmt_a, fmt_b, FP32)), want, a, b, c)
    left, right = exact.values(names[0], a).tolist(), exact.values(names[1], b).tolist()
    sums = [exact.fused("fp32", x, 1.0, y) for x, y in zip(left, right, strict=True)]
    assert_codes("fp32", add(a, b, (fmt_a, fmt_b)), sums, a, b)


@pytest.mark.parametrize("overflow", ["ieee", "saturate"])
@pytest.mark.parametrize("name", FLOAT_FORMATS)
def test_results_in_the_format_of_the_operands(name: str, overflow: exact.Overflow) -> None:
    fmt = FloatFormat.parse(name)
    a, b, c = hard_cases(name, 3_000)
    got = fused_multiply_add(a, b, c, (fmt, fmt, FP32), fmt, overflow)
    assert_codes(name, got, fused_codes((name, name, "fp32"), a, b, c, name, overflow), a, b, c)


def test_fused_and_not_fused_differ_where_a_bf16_product_leaves_fp32() -> None:
    a, c = int(encode(2.0**64, BF16)), int(encode(-(2.0**127), FP32))
    assert fused_multiply_add(a, a, c, (BF16, BF16, FP32)) == encode(2.0**127, FP32)
    assert add(multiply(a, a, (BF16, BF16)), c, (FP32, FP32)) == FP32.infinity_bits


def test_rounding_to_float64_first_would_be_wrong() -> None:
    # 2**-70 below a tie, which float64 takes for the tie.
    numbers = (1 + 2.0**-23) * 2.0**-12, (1 - 2.0**-23) * 2.0**-12, 1 + 2.0**-23
    a, b, c = encode(numbers, FP32)
    assert fused_multiply_add(a, b, c, (FP32, FP32, FP32)) == c
    assert np.float32(numbers[0] * numbers[1] + numbers[2]) == 1 + 2.0**-22


@pytest.mark.parametrize("name", FLOAT_FORMATS)
def test_all_triples_of_special_values(name: str) -> None:
    fmt = FloatFormat.parse(name)
    magnitudes = (0.0, fmt.smallest_subnormal, fmt.smallest_normal, 1.0, fmt.largest, np.inf, np.nan)
    special = [sign * magnitude for magnitude in magnitudes for sign in (1, -1)]
    operands = np.array(list(itertools.product(special, repeat=3))).T
    a, b, c = encode(operands[0], fmt), encode(operands[1], fmt), encode(operands[2], FP32)
    assert_codes("fp32", fused_multiply_add(a, b, c, (fmt, fmt, FP32)), fused_codes((name, name, "fp32"), a, b, c))


def test_shapes_broadcast() -> None:
    assert multiply(np.zeros((2, 1, 3), int), np.zeros((4, 1), int), (BF16, FP8_E4M3)).shape == (2, 4, 3)
    assert add([], [], (FP16, FP16)).shape == (0,)
    assert fused_multiply_add(0, 0, 0x80000000, (BF16, BF16, FP32)).shape == ()


def test_codes_of_another_format_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^codes of fp8_e4m3 must be 0\.\.255, got 256; nearest legal value is 255$"):
        multiply(1, 256, (BF16, FP8_E4M3))
