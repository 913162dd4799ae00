"""Matrices that lie column by column: results that are stored so, and operands that are loaded so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.program.tiling import Tiling
from tilewright.sim_tests.fpga.host.engines import accelerator, refuses

RNG = np.random.default_rng(41)
SHAPES = [(1, 1, 1), (1, 9, 4), (9, 1, 4), (3, 4, 5), (5, 4, 3), (33, 17, 20), (64, 64, 8)]


def _numbers(*shape: int) -> Any:
    return RNG.integers(-128, 128, shape)


@pytest.mark.parametrize(("m", "n", "k"), SHAPES)
def test_results(integers: Accelerator, m: int, n: int, k: int) -> None:
    a, b, bias = _numbers(m, k), _numbers(k, n), _numbers(n)
    found = integers.matmul(a, b, bias=bias, transpose=True)
    assert found.shape == (n, m)
    np.testing.assert_array_equal(found, (a @ b + bias).T)
    plain = integers.matmul(a, b, bias=bias, scale=0.01, zero_point=4, activation="relu")
    found = integers.matmul(a, b, bias=bias, scale=0.01, zero_point=4, activation="relu", transpose=True)
    np.testing.assert_array_equal(found, plain.T)


@pytest.mark.parametrize(("m", "n", "k"), SHAPES)
def test_operands(integers: Accelerator, m: int, n: int, k: int) -> None:
    a, b = _numbers(m, k), _numbers(k, n)
    left, right = integers.put(a.T, "a"), integers.put(b.T, "b")
    assert left.T.shape == (m, k) and left.T.T is left
    np.testing.assert_array_equal(integers.matmul(left.T, b), a @ b)
    np.testing.assert_array_equal(integers.matmul(a, right.T, a_zero=3), (a - 3) @ b)
    np.testing.assert_array_equal(integers.matmul(left.T, right.T, transpose=True), (a @ b).T)


@pytest.mark.parametrize("dataflow", ["ws", "os", "is"])
def test_operands_that_are_turned_into_banks(dataflow: str) -> None:
    """A transposer of 19 columns in front of banks of 4 elements, and of 8 of two values."""
    with accelerator("any_3x5") as engine:
        for (m, n, k), tile_k in (((33, 5, 17), 10), ((16, 20, 41), 24), ((16, 8, 16), 16)):
            a, b = _numbers(m, k), _numbers(k, n)
            left, right = engine.put(a.T, "a").T, engine.put(b.T, "b").T
            tiling = Tiling(dataflow, "mn", m, n, tile_k, a_stages=1, b_stages=1, c_places=1)
            for operands in ((left, b), (a, right), (left, right)):
                np.testing.assert_array_equal(engine.matmul(*operands), a @ b)
                np.testing.assert_array_equal(engine.matmul(*operands, tiling=tiling), a @ b)


def test_turned_operands_cost_what_plain_ones_do(integers: Accelerator) -> None:
    """64 x 64 x 64, of which the array alone takes 16,384 cycles."""
    a, b = _numbers(64, 64), _numbers(64, 64)
    cycles = {}
    left, right = integers.put(a.T, "a").T, integers.put(b.T, "b").T
    for name, operands in {"plain": (a, b), "a": (left, b), "b": (a, right), "both": (left, right)}.items():
        np.testing.assert_array_equal(integers.matmul(*operands), a @ b)
        assert integers.last is not None
        cycles[name] = integers.last.counts["cycles"]
    print(f"cycles of 64 x 64 x 64: {cycles}")
    assert max(cycles.values()) < 1.01 * cycles["plain"], cycles


def test_stacks_and_nothing(integers: Accelerator) -> None:
    a, b = _numbers(3, 5, 7), _numbers(7, 6)
    np.testing.assert_array_equal(integers.matmul(a, b, transpose=True), np.swapaxes(a @ b, 1, 2))
    assert integers.matmul(a[:, :0], b, transpose=True).shape == (3, 6, 0)
    np.testing.assert_array_equal(integers.linear(a[0], b.T, transpose=True), (a[0] @ b).T)


def test_floats(floats: Accelerator) -> None:
    a, b = RNG.normal(size=(9, 6)), RNG.normal(size=(6, 7))
    for how in ({}, {"activation": "gelu"}):
        plain = floats.matmul(a, b, **how)  # type: ignore[arg-type]
        np.testing.assert_array_equal(floats.matmul(a, b, transpose=True, **how), plain.T)  # type: ignore[arg-type]


def test_what_cannot_be(integers: Accelerator) -> None:
    a = _numbers(2, 2)
    refuses(lambda: integers.matmul(a, a, transpose=1), "transpose must be True or False, got 1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="b must have as many rows"):
        integers.matmul(_numbers(2, 3), integers.put(_numbers(3, 2), "b").T)
