"""The reference product against exact integers, numpy, and laws of arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.generators.reference.gemm import gemm
from tilewright.hdl.numeric import IntFormat, dot_bits
from tilewright.sim_tests.generators.reference.exact import exact_gemm

INT32 = IntFormat(32)


def values(fmt: IntFormat) -> st.SearchStrategy[int]:
    return st.one_of(st.sampled_from((fmt.min, fmt.max, 0)), st.integers(fmt.min, fmt.max))


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    a, b = (IntFormat(draw(st.integers(2, 16)), draw(st.booleans())) for _ in range(2))
    vector = draw(st.sampled_from((1, 2, 4, 8, 16)))
    narrowest = max(8, dot_bits(a, b, vector))
    acc = IntFormat(draw(st.one_of(st.just(narrowest), st.just(64), st.integers(narrowest, 64))))
    m, n, k = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 19))

    def matrix(fmt: IntFormat, rows: int, cols: int) -> list[list[int]]:
        return draw(st.lists(st.lists(values(fmt), min_size=cols, max_size=cols), min_size=rows, max_size=rows))

    return {
        "a": matrix(a, m, k),
        "b": matrix(b, k, n),
        "start": matrix(acc, m, n),
        "acc": acc,
        "vector": vector,
    }


@pytest.mark.parametrize("saturating", [False, True])
@given(problem=problems())
def test_equals_exact_integers(problem: dict[str, Any], saturating: bool) -> None:
    acc = problem.pop("acc")
    want = exact_gemm(**problem, width=acc.width, saturating=saturating)
    got = gemm(problem["a"], problem["b"], problem["start"], acc, saturating=saturating, vector=problem["vector"])
    assert got.tolist() == want


@pytest.mark.parametrize("width", [8, 31, 32, 33, 48, 63, 64])
@pytest.mark.parametrize("saturating", [False, True])
def test_both_ends_of_every_accumulator(width: int, saturating: bool) -> None:
    acc = IntFormat(width)
    for start, step in ((acc.max, 1), (acc.min, -1)):
        got = gemm([[step]], [[1]], [[start]], acc, saturating=saturating)
        other_end = acc.min if step > 0 else acc.max
        assert got.item() == (start if saturating else other_end)


def test_sixty_four_bits_wrap_without_help() -> None:
    a = np.full((1, 3), 65535)
    b = np.full((3, 1), 65535)
    start = 2**63 - 1
    want = (start + 3 * 65535**2 + 2**63) % 2**64 - 2**63
    assert gemm(a, b, start, IntFormat(64), saturating=False).item() == want


def test_products_too_large_for_floats_are_exact_too() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(-(2**30), 2**30, (4, 9)), rng.integers(-(2**30), 2**30, (9, 3))
    want = exact_gemm(a.tolist(), b.tolist(), np.zeros((4, 3), int).tolist(), 64, saturating=False, vector=1)
    assert gemm(a, b, 0, IntFormat(64), saturating=False).tolist() == want


def test_large_product_equals_numpy() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.integers(-128, 128, (100, 300)), rng.integers(-128, 128, (300, 70))
    assert (gemm(a, b, 0, INT32, saturating=False) == a @ b).all()


@pytest.mark.parametrize("saturating", [False, True])
def test_no_k_gives_the_start(saturating: bool) -> None:
    start = np.arange(6).reshape(2, 3)
    got = gemm(np.zeros((2, 0)), np.zeros((0, 3)), start, INT32, saturating=saturating)
    assert (got == start).all()
    got[0, 0] = 7  # what comes back belongs to the caller
    assert start[0, 0] == 0


@pytest.mark.parametrize("saturating", [False, True])
def test_a_row_starts_every_row(saturating: bool) -> None:
    bias = np.array([[1, -2, 3]])
    got = gemm([[2], [5]], [[1, 1, 1]], bias, INT32, saturating=saturating)
    assert got.tolist() == [[3, 0, 5], [6, 3, 8]]


@pytest.mark.parametrize("saturating", [False, True])
@given(problem=problems(), cut=st.integers(1, 18))
def test_k_may_be_cut_at_a_whole_step(problem: dict[str, Any], saturating: bool, cut: int) -> None:
    a, b = np.array(problem["a"]), np.array(problem["b"])
    cut = cut // problem["vector"] * problem["vector"]
    options = {"acc": problem["acc"], "saturating": saturating, "vector": problem["vector"]}
    first = gemm(a[:, :cut], b[:cut], problem["start"], **options)
    assert (gemm(a[:, cut:], b[cut:], first, **options) == gemm(a, b, problem["start"], **options)).all()


@given(problem=problems())
def test_wrapping_sums_do_not_depend_on_order_or_vector(problem: dict[str, Any]) -> None:
    a, b = np.array(problem["a"]), np.array(problem["b"])
    turned = gemm(a[:, ::-1], b[::-1], problem["start"], problem["acc"], saturating=False)
    options = {"saturating": False, "vector": problem["vector"]}
    assert (turned == gemm(a, b, problem["start"], problem["acc"], **options)).all()


def test_saturating_sums_clamp_at_every_step() -> None:
    a, b = [[127, 127, -128]], [[127], [127], [127]]
    int16 = IntFormat(16)
    assert gemm(a, b, 30000, int16, saturating=True).item() == 32767 - 128 * 127
    assert gemm(a, b, 30000, int16, saturating=True, vector=2).item() == 32767 - 128 * 127
    assert gemm(a, b, 30000, int16, saturating=True, vector=4).item() == min(30000 + 126 * 127, 32767)


@pytest.mark.parametrize(
    ("a", "b", "acc", "message"),
    [
        ([[1]], [[1]], IntFormat(8, False), "acc must be signed, got uint8"),
        ([[1, 2]], [[1]], INT32, r"a and b must be M x K and K x N, got \(1, 2\) and \(1, 1\)"),
    ],
)
def test_refusals(a: list[list[int]], b: list[list[int]], acc: IntFormat, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gemm(a, b, 0, acc, saturating=False)
