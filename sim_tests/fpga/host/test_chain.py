"""What may follow requantisation on the way to memory: zero points of B, another tensor, pooling, all on the RTL."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.addition import Addition
from tilewright.generators.reference.finish import finish_integers, residual_sum
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.numeric.requantise import fixed_point
from tilewright.sim_tests.fpga.host.engines import accelerator, refuses

INT8 = IntFormat(8)
SCALE = 0.004
SHAPES = [(1, 1, 1), (5, 7, 3), (33, 17, 65), (150, 9, 40), (7, 30, 300), (97, 3, 4)]
Array = NDArray[np.int64]


def _numbers(seed: int, *shape: int) -> Array:
    return np.random.default_rng((seed, *shape)).integers(-128, 128, shape)


def _finished(acc: Array, zero_point: int, low: int = -128, scale: float = SCALE) -> Array:
    return finish_integers(acc, INT8, *fixed_point(scale), zero_point, (low, 127))


@pytest.mark.parametrize(("m", "n", "k"), SHAPES)
@pytest.mark.parametrize("a_zero", [0, 5])
def test_a_zero_point_of_b(integers: Accelerator, m: int, n: int, k: int, a_zero: int) -> None:
    a, b, bias = _numbers(1, m, k), _numbers(2, k, n), 8 * _numbers(3, n)
    for b_zero in (-128, -7, 127):
        found = integers.matmul(a, b, bias=bias, a_zero=a_zero, b_zero=b_zero, scale=SCALE, zero_point=3)
        np.testing.assert_array_equal(found, _finished((a - a_zero) @ (b - b_zero) + bias, 3))


@pytest.mark.parametrize(("m", "n", "k"), SHAPES)
@pytest.mark.parametrize("activation", [None, "relu", "relu6"])
def test_another_tensor(integers: Accelerator, m: int, n: int, k: int, activation: str | None) -> None:
    a, b, y = _numbers(4, m, k), _numbers(5, k, n), _numbers(6, m, n)
    add, six = Addition(y, 0.02, 0.013, 0.03, zero=4, sum_zero=-3), 40 if activation == "relu6" else None
    found = integers.matmul(a, b, scale=SCALE, zero_point=3, add=add, activation=activation, six=six)
    f = add.fields(INT8, activation, six)
    scale, limits = (f["sum_multiplier"], f["sum_shift"]), (f["sum_low"], f["sum_high"])
    left, right = (3, f["left_multiplier"]), (4, f["right_multiplier"])
    wanted = residual_sum(_finished(a @ b, 3), y, INT8, left, right, scale, -3, limits)
    np.testing.assert_array_equal(found, wanted)
    exact = -3 + ((_finished(a @ b, 3) - 3) * 0.02 + (y - 4) * 0.013) / 0.03
    low, high = -3 if activation else -128, six or 127
    assert np.abs(np.clip(exact, low, high) - found).max() <= 0.5 + 1e-4
    with integers.program():
        y_there = integers.matmul(y, np.eye(n, dtype=int), scale=1.0)
        there = integers.matmul(
            a, b, scale=SCALE, zero_point=3, add=replace(add, values=y_there), activation=activation, six=six
        )
    np.testing.assert_array_equal(there, found)
    how: dict[str, Any] = {"scale": SCALE, "zero_point": 3, "activation": activation, "six": six}
    turned = integers.matmul(a, b, transpose=True, add=replace(add, values=y.T), **how)
    np.testing.assert_array_equal(turned, found.T)
    values = np.stack([y, -1 - y])
    both = integers.matmul(np.stack([a, a]), b, add=replace(add, values=values), **how)
    np.testing.assert_array_equal(both[0], found)
    np.testing.assert_array_equal(both[1], integers.matmul(a, b, add=replace(add, values=values[1]), **how))


def _convolved(x: Array, weight: Array) -> Array:
    """3 x 3, padded with zeros to its own size."""
    height, width = x.shape[1:3]
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    total = np.zeros((*x.shape[:3], weight.shape[3]), dtype=np.int64)
    for i in range(3):
        for j in range(3):
            total += padded[:, i : i + height, j : j + width] @ weight[i, j]
    return total


@pytest.mark.parametrize("shape", [(1, 2, 2, 1, 1), (1, 4, 6, 3, 5), (2, 8, 6, 3, 9), (3, 12, 10, 2, 7)])
@pytest.mark.parametrize("kind", ["plain", "zero and channels", "added"])
def test_pooling(integers: Accelerator, shape: tuple[int, int, int, int, int], kind: str) -> None:
    pictures, height, width, channels, n = shape
    x, weight = _numbers(7, pictures, height, width, channels), _numbers(8, 3, 3, channels, n)
    how: dict[str, Any] = {"scale": 0.01, "zero_point": -20, "activation": "relu"}
    full = _finished(_convolved(x, weight).reshape(-1, n), -20, -20, 0.01)
    if kind == "zero and channels":
        scales = np.random.default_rng(9).uniform(0.004, 0.02, n)
        factors = np.array([fixed_point(float(scale)) for scale in scales])
        how |= {"b_zero": 9, "scale": scales}
        exact = _convolved(x, weight - 9).reshape(-1, n)
        full = finish_integers(exact, INT8, factors[:, 0], factors[:, 1], -20, (-20, 127))
    if kind == "added":
        y = _numbers(10, pictures, height, width, n)
        add = Addition(y, 0.02, 0.02, 0.025)
        how |= {"add": add, "activation": None}
        f = add.fields(INT8, None)
        scale, limits = (f["sum_multiplier"], f["sum_shift"]), (f["sum_low"], f["sum_high"])
        left, right = (-20, f["left_multiplier"]), (0, f["right_multiplier"])
        plain = _finished(_convolved(x, weight).reshape(-1, n), -20, -128, 0.01)
        full = residual_sum(plain, y.reshape(-1, n), INT8, left, right, scale, 0, limits)
    wanted = full.reshape(pictures, height // 2, 2, width // 2, 2, n).max(axis=(2, 4))
    found = integers.conv2d(x, weight, padding=1, pool=True, **how)
    np.testing.assert_array_equal(found, wanted)


def test_several_products_in_one_run(integers: Accelerator) -> None:
    a, b = _numbers(11, 4, 20, 30), _numbers(12, 30, 13)
    found = integers.matmul(a, b, b_zero=11, scale=SCALE)
    np.testing.assert_array_equal(found, _finished((a @ (b - 11)).reshape(-1, 13), 0).reshape(4, 20, 13))


def test_what_cannot_be(integers: Accelerator) -> None:
    a, b = _numbers(13, 4, 4), _numbers(14, 4, 4)
    x, weight = _numbers(15, 1, 3, 4, 2), _numbers(16, 1, 1, 2, 3)
    refuses(lambda: integers.matmul(a, b, b_zero=3), "b_zero must be 0 for results that are not finished, got 3")
    refuses(lambda: integers.matmul(a, b, b_zero=128, scale=1.0), "b_zero must be a whole number -128..127, got 128")
    refuses(lambda: integers.conv2d(x, weight, pool=True), "pool must be False for results that are not finished")
    refuses(lambda: integers.conv2d(x, weight, pool=True, scale=1.0), "of even height and width, got 3 x 4")
    add = Addition(a, 1.0, 1.0, 1.0)
    refuses(lambda: integers.matmul(a, b, add=add), "add must be None for results that are not finished")
    for values in (a[:2], a.ravel(), a.reshape(2, 8), a[None]):
        small = Addition(values, 1.0, 1.0, 1.0)
        sentence = f"add.values must have shape (4, 4) as the result has, got {values.shape}"
        refuses(lambda small=small: integers.matmul(a, b, scale=1.0, add=small), sentence)  # type: ignore[misc]
    huge, none, text, ones = 10**400, None, "1", np.ones(2)
    for field, value, sentence in (
        *((name, 0.0, "must be a finite number above 0, got 0.0") for name in ("scale", "values_scale", "sum_scale")),
        *(
            ("scale", value, "must be a finite number above 0, got ")
            for value in (float("inf"), huge, none, text, ones)
        ),
        *((name, 1000, "must be a whole number -128..127, got 1000") for name in ("zero", "sum_zero")),
        *(("zero", value, "must be a whole number -128..127, got ") for value in (1.5, text, none)),
        ("sum_scale", 1e-30, "does not go with the others: scale must be at least 2**-32"),
    ):
        fields: Any = {"values": a, "scale": 1.0, "values_scale": 1.0, "sum_scale": 1.0} | {field: value}
        wrong = Addition(**fields)
        refuses(lambda wrong=wrong: integers.matmul(a, b, scale=1.0, add=wrong), f"add.{field} {sentence}")  # type: ignore[misc]
    for other in ("x", a, 5):
        refuses(lambda other=other: integers.matmul(a[:0], b, scale=1.0, add=other), "add must be an Addition, got ")  # type: ignore[misc]
    sixty: dict[str, Any] = {"activation": "relu6", "scale": 1.0, "add": Addition(a, 1.0, 1.0, 1.0, sum_zero=5)}
    refuses(lambda: integers.matmul(a, b, **sixty), "six must be told with relu6")
    refuses(lambda: integers.matmul(a, b, six=4, **sixty), "six must be a whole number 5..127, got 4")


def test_an_engine_without_them_refuses() -> None:
    with accelerator("any_3x5") as engine:
        a, b = _numbers(17, 3, 3), _numbers(18, 3, 3)
        refuses(lambda: engine.matmul(a, b, b_zero=1, scale=1.0), "b_zero must be 0 for an engine without row_sums")
        add = Addition(a, 1.0, 1.0, 1.0)
        refuses(lambda: engine.matmul(a, b, scale=1.0, add=add), "add must be None on an engine without adds")
        x, weight = _numbers(19, 1, 2, 2, 2), _numbers(20, 1, 1, 2, 3)
        refuses(lambda: engine.conv2d(x, weight, pool=True, scale=1.0), "pool must be False on an engine without")
