"""The oracle of floats against rational numbers, one result at a time, and it depends on nothing that it judges."""

from __future__ import annotations

import ast
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tilewright.sim_tests.hdl.numeric import exact
from tilewright.sim_tests.system.float_cases import KINDS, random_codes
from tilewright.sim_tests.system.float_oracle import FIELDS, NAN, float_product, fp32_sum, values, window_product
from tilewright.sim_tests.system.float_rationals import rational_chain, rational_window

NARROW = tuple(name for name in FIELDS if name != "fp32")
SHAPE = (4, 23, 5)  # M, K, N


def imported(module: str, seen: set[str]) -> set[str]:
    """All modules of the project that ``module`` imports, and those import."""
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None
    seen.add(module)
    for node in ast.walk(ast.parse(Path(spec.origin).read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name is not None and name.startswith("tilewright") and name not in seen:
                imported(name, seen)
    return seen


@pytest.mark.parametrize("module", ["float_oracle", "float_rationals", "float_cases"])
def test_nothing_of_what_is_judged_is_imported(module: str) -> None:
    found = imported(f"tilewright.sim_tests.system.{module}", set())
    assert all(name.startswith("tilewright.sim_tests.") for name in found), found


@pytest.mark.parametrize("name", NARROW)
def test_every_code_has_its_value(name: str) -> None:
    got, want = values(name, np.arange(1 << exact.FACTS[name].width)), exact.table(name)
    assert np.array_equal(got, want, equal_nan=True)
    assert np.array_equal(np.signbit(got) & ~np.isnan(got), np.signbit(want) & ~np.isnan(want))


def test_codes_of_fp32_have_their_values() -> None:
    rng = np.random.default_rng(1)
    codes = np.concatenate([[0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, NAN], rng.integers(0, 1 << 32, 20_000)])
    codes = np.concatenate([codes, codes ^ (1 << 31)])
    got, want = values("fp32", codes), exact.values("fp32", codes)
    assert np.array_equal(got, want, equal_nan=True)
    assert np.array_equal(np.signbit(got) & ~np.isnan(got), np.signbit(want) & ~np.isnan(want))


@pytest.mark.parametrize("vector", [1, 2, 4, 8])
@pytest.mark.parametrize("what", ["numbers", *KINDS])
def test_chains_are_those_of_rational_numbers(what: str, vector: int) -> None:
    rng = np.random.default_rng([vector, *what.encode()])
    m, k, n = SHAPE
    for a_format, b_format in zip(NARROW, rng.permutation(NARROW).tolist(), strict=True):
        formats = (a_format, b_format)
        a, b = random_codes(rng, a_format, (m, k), what), random_codes(rng, b_format, (k, n), what)
        start = random_codes(rng, "fp32", (m, n), what)
        got = float_product(formats, a, b, start, vector)
        want = [[rational_chain(formats, a[i], b[:, j], int(start[i, j]), vector) for j in range(n)] for i in range(m)]
        assert got.tolist() == want


@pytest.mark.parametrize("vector", [1, 4])
@pytest.mark.parametrize("width", [23, 30, 48, 58])
def test_windows_are_those_of_rational_numbers(width: int, vector: int) -> None:
    rng = np.random.default_rng([width, vector])
    m, k, n = SHAPE
    for point in (-512, -200, -30, 0, 9, 20, 24, width, 140, 268, 512):
        formats = (str(rng.choice(NARROW)), str(rng.choice(NARROW)))
        what = str(rng.choice(("numbers", *KINDS)))
        a, b = random_codes(rng, formats[0], (m, k), what), random_codes(rng, formats[1], (k, n), what)
        start = rng.integers(0, 1 << (width + 3), (m, n))
        got = window_product(formats, a, b, start, width, point, vector)
        ij = [(i, j) for i in range(m) for j in range(n)]
        want = [rational_window(formats, a[i], b[:, j], int(start[i, j]), width, point, vector) for i, j in ij]
        assert got.ravel().tolist() == want


def test_ties_of_fp32_and_what_lies_just_beside_them() -> None:
    """Sums whose nearest float64 is a midpoint, with and without an error of that, from the least to the largest."""
    rng = np.random.default_rng(2)
    count = 4_000
    digits = rng.integers(1 << 24, 1 << 25, count) | 1  # the last of 25 places is that of ties
    place = rng.integers(-155, 104, count)
    ends = rng.random(count) < 0.2
    digits, place = np.where(ends, (1 << 25) - 1, digits), np.where(ends & (rng.random(count) < 0.2), 103, place)
    few = np.where(place < -149, digits >> rng.integers(0, 25, count), digits)
    x = np.ldexp(few.astype(np.float64), place.astype(np.int32)) * rng.choice((-1.0, 1.0), count)
    y = np.ldexp(rng.choice((-1.0, 0.0, 1.0), count) * np.abs(x), -rng.integers(54, 80, count).astype(np.int32))
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    want = [exact.nearest("fp32", Fraction(one) + Fraction(other), minus=one < 0) for one, other in pairs]
    got = fp32_sum(x, y).astype(np.float32).view(np.uint32)
    assert got.tolist() == want
    assert {0x7F800000, 0x7F7FFFFF, 0, 1} <= set(want)
