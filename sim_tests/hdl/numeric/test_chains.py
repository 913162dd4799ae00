"""Products of matrices against chains of single exact operations."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.numeric import (
    BF16,
    FLOAT_FORMATS,
    FP8_E4M3,
    FP8_E5M2,
    FP16,
    FP32,
    FloatFormat,
    FxFormat,
    WindowSum,
    accumulate_step,
    convert,
    encode,
    float_chain,
    fused_multiply_add,
    place,
    place_products,
    window_chain,
)
from tilewright.sim_tests.hdl.numeric import exact
from tilewright.sim_tests.hdl.numeric.compare import assert_codes

Codes = NDArray[np.int64]
PAIRS = [(fmt, fmt) for fmt in FLOAT_FORMATS.values()] + [(BF16, FP8_E4M3), (FP8_E5M2, FP8_E4M3), (FP16, FP32)]


def added(x: float, y: float) -> float:
    """The fp32 number nearest to the exact sum."""
    return exact.value("fp32", exact.fused("fp32", x, 1.0, y))


def tree(leaves: dict[int, float], first: int, size: int) -> float | None:
    """The sum of the ``size`` leaves, a power of two, from ``first``: that of its halves, or the one that is there."""
    if size == 1:
        return leaves.get(first)
    low, high = tree(leaves, first, size // 2), tree(leaves, first + size // 2, size // 2)
    if low is None or high is None:
        return high if low is None else low
    return added(low, high)


def chain(a: Sequence[float], b: Sequence[float], start: float, vector: int, present: Sequence[bool]) -> int:
    total, size = start, 1
    while size < vector:
        size *= 2
    for first in range(0, len(a), vector):
        ks = [k for k in range(first, min(first + vector, len(a))) if present[k]]
        # Products of two floats of at most 24 bits are exact in Python's.
        step = tree({k - first: a[k] * b[k] for k in ks}, 0, size)
        total = total if step is None else added(total, step)
    return exact.fused("fp32", total, 1.0, -0.0)


def operands(rng: np.random.Generator, fmt: FloatFormat, shape: tuple[int, int]) -> Codes:
    """Numbers of similar size that cancel and round, and now and then any code at all."""
    near = encode(np.ldexp(rng.uniform(-1, 1, shape), rng.integers(-4, 5, shape)), fmt).astype(np.int64)
    return np.where(rng.random(shape) < 0.01, rng.integers(0, 1 << fmt.width, shape), near)


@pytest.mark.parametrize("vector", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize(("fmt_a", "fmt_b"), PAIRS, ids=str)
def test_every_sum_against_single_operations(fmt_a: FloatFormat, fmt_b: FloatFormat, vector: int) -> None:
    rng = np.random.default_rng([fmt_a.width, fmt_b.width, vector])
    for depth in (1, 7, 16):
        a, b = operands(rng, fmt_a, (5, depth)), operands(rng, fmt_b, (depth, 4))
        start = operands(rng, FP32, (5, 4))
        for present in (np.ones(depth, dtype=np.bool_), rng.random(depth) < 0.6):
            left, right = exact.values(fmt_a.name, a).tolist(), exact.values(fmt_b.name, b).T.tolist()
            begin = exact.values("fp32", start).tolist()
            want = [
                [chain(row, column, begin[m][n], vector, present.tolist()) for n, column in enumerate(right)]
                for m, row in enumerate(left)
            ]
            got = float_chain(a, b, (fmt_a, fmt_b), start, vector=vector, present=present)
            assert_codes("fp32", got, want)


def test_a_chain_is_one_fused_multiply_add_after_another() -> None:
    rng = np.random.default_rng(1)
    a, b, total = operands(rng, BF16, (3, 20)), operands(rng, BF16, (20, 5)), operands(rng, FP32, (3, 5))
    want = total
    for k in range(20):
        want = fused_multiply_add(a[:, k, None], b[k], want, (BF16, BF16, FP32)).astype(np.int64)
    assert_codes("fp32", float_chain(a, b, (BF16, BF16), total), want)


@pytest.mark.parametrize("vector", [1, 4])
def test_a_chain_continues_from_a_stored_sum(vector: int) -> None:
    rng = np.random.default_rng(2)
    a, b = operands(rng, FP16, (4, 22)), operands(rng, FP16, (22, 6))
    whole = float_chain(a, b, (FP16, FP16), vector=vector)
    total = float_chain(a[:, :12], b[:12], (FP16, FP16), vector=vector)
    assert_codes("fp32", float_chain(a[:, 12:], b[12:], (FP16, FP16), total, vector=vector), whole)


def test_the_order_is_k_ascending_and_the_tree_is_balanced() -> None:
    one, large = int(encode(1.0, FP32)), int(encode(2.0**24, FP32))
    ones = [[one]] * 4
    row = [[large, one, one, large | 1 << 31]]
    assert float_chain(row, ones, (FP32, FP32)) == encode(0.0, FP32)
    # (2**24 + 1) + (1 - 2**24) with a rounding to even of each: 2**24 and 1 - 2**24.
    assert float_chain(row, ones, (FP32, FP32), vector=4) == encode(1.0, FP32)
    # The tree of three: (0, 1), then 2.
    assert float_chain([row[0][:3]], ones[:3], (FP32, FP32), vector=3) == large
    assert float_chain([[one, one, large]], ones[:3], (FP32, FP32), vector=3) == large + 1


def test_a_leaf_alone_stays_exact_until_it_meets_another() -> None:
    # The square of 1 + 2**-23 has a last bit 2**-46 that fp32 would lose.
    a = int(encode(1 + 2.0**-23, FP32))
    start = encode(-(1 + 2.0**-22), FP32)
    for vector in (1, 2, 4):
        got = float_chain([[a]], [[a]], (FP32, FP32), start, vector=vector)
        assert got == encode(2.0**-46, FP32)


def test_what_is_masked_is_skipped_and_not_multiplied_by_zero() -> None:
    infinity, one, zero, minus_zero = 0x7F80, 0x3F80, 0, 0x80000000
    a, b = [[infinity, one]], [[zero], [one]]
    assert float_chain(a, b, (BF16, BF16)) == FP32.nan_bits
    for vector in (1, 2):
        assert float_chain(a, b, (BF16, BF16), present=[False, True], vector=vector) == encode(1.0, FP32)
        masked = float_chain([[one, one]], [[one], [one]], (BF16, BF16), minus_zero, present=[False] * 2, vector=vector)
        assert masked == minus_zero
    assert float_chain([[zero]], [[one]], (BF16, BF16), minus_zero) == 0
    nothing = float_chain(np.zeros((2, 0), int), np.zeros((0, 3), int), (BF16, BF16), minus_zero)
    assert nothing.tolist() == [[minus_zero] * 3] * 2


def test_start_is_plus_zero_a_row_or_a_matrix() -> None:
    one = int(encode(1.0, BF16))
    a, b = np.full((3, 2), one), np.full((2, 4), one)
    assert np.all(float_chain(a, b, (BF16, BF16)) == encode(2.0, FP32))
    bias = encode(np.arange(4.0), FP32)
    want = encode(np.tile(np.arange(4.0) + 2, (3, 1)), FP32)
    assert np.array_equal(float_chain(a, b, (BF16, BF16), bias), want)
    assert np.array_equal(float_chain(a, b, (BF16, BF16), np.tile(bias, (3, 1))), want)
    column = encode([[-1.0], [0.0], [5.0]], FP32)
    assert np.array_equal(float_chain(a, b, (BF16, BF16), column), encode(np.repeat([[1.0], [2.0], [7.0]], 4, 1), FP32))
    minus = float_chain([[0x8000]], [[one]], (BF16, BF16))
    assert minus == 0  # -0 onto the literal +0


def test_a_narrow_result_is_rounded_once_more() -> None:
    rng = np.random.default_rng(3)
    a, b = operands(rng, BF16, (4, 9)), operands(rng, BF16, (9, 4))
    total = float_chain(a, b, (BF16, BF16))
    want = [[exact.fused("bf16", value, 1.0) for value in row] for row in exact.values("fp32", total).tolist()]
    assert_codes("bf16", convert(total, FP32, BF16), want)


@pytest.mark.parametrize(("fmt_a", "fmt_b"), PAIRS, ids=str)
def test_window_sums_against_exact_ones_in_any_order_of_k(fmt_a: FloatFormat, fmt_b: FloatFormat) -> None:
    rng = np.random.default_rng([fmt_a.width, fmt_b.width])
    a = encode(rng.uniform(-4, 4, (5, 12)), fmt_a)
    b = encode(rng.uniform(-4, 4, (12, 3)), fmt_b)
    fmt, point = FxFormat(56), 40
    start = place(rng.uniform(-9, 9, 3), fmt, point)
    got = window_chain(a, b, (fmt_a, fmt_b), fmt, point, start)
    left, right = exact.values(fmt_a.name, a), exact.values(fmt_b.name, b)
    for m, n in np.ndindex(5, 3):
        scaled = [Fraction(x * y) * 2**point for x, y in zip(left[m].tolist(), right[:, n].tolist(), strict=True)]
        nearest = [int(abs(term) + Fraction(1, 2)) * (1 if term > 0 else -1) for term in scaled]
        assert got.integers[m, n] == sum(nearest) + int(start.integers[n])
        assert got.underflow[m, n] == (start.underflow[n] or any(term.denominator > 1 for term in scaled))
    assert not (got.overflow | got.invalid).any()
    order = rng.permutation(12)
    half = window_chain(a[:, order[:5]], b[order[:5]], (fmt_a, fmt_b), fmt, point)
    other = window_chain(a[:, order[5:]], b[order[5:]], (fmt_a, fmt_b), fmt, point, half)
    again = window_chain(a[:, :0], b[:0], (fmt_a, fmt_b), fmt, point, other)
    bare = window_chain(a, b, (fmt_a, fmt_b), fmt, point)
    for total in (other, again):
        assert np.array_equal(total.integers, bare.integers)
        assert np.array_equal(total.underflow, bare.underflow)


@pytest.mark.parametrize("vector", [1, 2, 3, 4, 16])
def test_window_sums_of_several_products_a_step(vector: int) -> None:
    rng = np.random.default_rng(vector)
    a, b = encode(rng.uniform(-4, 4, (3, 22)), BF16), encode(rng.uniform(-4, 4, (22, 5)), BF16)
    a[1, 7], a[0, 20] = 0x7FC0, 0x7F80  # NaN and infinity
    fmt, point = FxFormat(18), 12  # too narrow for some sums
    start = place(rng.uniform(-9, 9, (3, 5)), fmt, point)
    for present in (np.ones(22, dtype=np.bool_), rng.random(22) < 0.6, np.zeros(22, dtype=np.bool_)):
        got = window_chain(a, b, (BF16, BF16), fmt, point, start, vector=vector, present=present)
        want = start
        for first in range(0, 22, vector):
            ks = [k for k in range(first, min(first + vector, 22)) if present[k]]
            terms = [place_products(a[:, k, None], b[k], (BF16, BF16), fmt, point) for k in ks]
            want = accumulate_step(want, terms, fmt)
        single = window_chain(a, b, (BF16, BF16), fmt, point, start, present=present)
        for other in (want, single):
            assert np.array_equal(got.integers, other.integers)
            assert np.array_equal(got.underflow, other.underflow)
            assert np.array_equal(got.invalid, other.invalid)
        assert np.array_equal(got.overflow, want.overflow)
        assert np.all(single.overflow | ~got.overflow)
        if not present.any():
            assert np.array_equal(got.integers, start.integers) and not got.invalid.any()


A, B = np.zeros((2, 3), int), np.zeros((3, 4), int)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"b": B.T}, "a and b must be M x K and K x N, got (2, 3) and (4, 3)"),
        ({"a": A[0]}, "a and b must be M x K and K x N, got (3,) and (3, 4)"),
        ({"vector": 0}, "vector must be at least 1, got 0; nearest legal value is 1"),
        ({"start": [0, 0]}, "start must broadcast to M x N = (2, 4), got an array of shape (2,)"),
        ({"start": np.zeros((3, 4), int)}, "start must broadcast to M x N = (2, 4), got an array of shape (3, 4)"),
        ({"start": [[[0]]]}, "start must broadcast to M x N = (2, 4), got an array of shape (1, 1, 1)"),
        ({"present": [True]}, "present must be 3 booleans, got an array of bool of shape (1,)"),
        ({"present": [1, 1, 1]}, "present must be 3 booleans, got an array of int64 of shape (3,)"),
        ({"a": A - 1}, "codes of bf16 must be 0..65535, got -1; nearest legal value is 0"),
    ],
)
def test_what_is_refused(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        float_chain(**{"a": A, "b": B, "formats": (BF16, BF16), **arguments})  # type: ignore[arg-type]
    assert str(caught.value) == sentence


def test_windows_that_do_not_fit_are_refused() -> None:
    empty, none = np.zeros((2, 0), int), np.zeros((0, 4), int)
    with pytest.raises(ValueError, match=r"^a window must hold one product of bf16 and bf16, got fx16; .* is fx17$"):
        window_chain(empty, none, (BF16, BF16), FxFormat(16), 0)
    with pytest.raises(ValueError, match=r"^point must be -512\.\.512, got 600; nearest legal value is 512$"):
        window_chain(empty, none, (BF16, BF16), FxFormat(48), 600)
    with pytest.raises(ValueError, match=r"^vector must be at least 1, got 0; nearest legal value is 1$"):
        window_chain(A, B, (BF16, BF16), FxFormat(48), 0, vector=0)
    with pytest.raises(ValueError, match=r"^present must be 3 booleans, got an array of int64 of shape \(3,\)$"):
        window_chain(A, B, (BF16, BF16), FxFormat(48), 0, present=[1, 1, 1])
    flags = np.zeros(3, dtype=np.bool_)
    start = WindowSum(np.zeros(3, dtype=np.int64), flags, flags, flags)
    with pytest.raises(ValueError, match=r"^start must broadcast to M x N = \(2, 4\), got an array of shape \(3,\)$"):
        window_chain(A, B, (BF16, BF16), FxFormat(48), 0, start)
