"""`tilewright.simulate`: numpy's results on RTL for any shape that fits, and one sentence for what does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
from tilewright.generators.config.systolic import systolic_config

CORE = systolic_config({"rows": 3, "cols": 2, "dataflow": "any", "max_m": 20, "max_n": 20, "max_k": 20})
SATURATING: dict[str, Any] = {"acc": "int20", "overflow": "saturate", "vector": 2}
SMALL = SATURATING | {"rows": 1, "cols": 1, "dataflow": "os", "max_m": 64, "max_n": 64, "max_k": 128}


def numbers(rows: int, cols: int, low: int = -128, high: int = 127) -> Any:
    return np.random.default_rng(rows * 100 + cols).integers(low, high, (rows, cols), endpoint=True)


@pytest.mark.parametrize("dataflow", ["ws", "os", "is", "auto"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (4, 3, 5), (20, 19, 20), (7, 20, 2)])
@pytest.mark.parametrize("start", ["zero", "bias", "c"])
def test_results_and_cycles_are_right(shape: tuple[int, int, int], dataflow: str, start: str) -> None:
    m, n, k = shape
    a, b = numbers(m, k), numbers(k, n)
    given = {"zero": {}, "bias": {"bias": numbers(1, n)[0]}, "c": {"c": numbers(m, n)}}[start]
    done = tilewright.simulate(CORE, a, b, dataflow=dataflow, **given)
    assert np.array_equal(done.c, a @ b + sum(given.values()))
    assert done.cycles == done.predicted_cycles
    assert done.utilisation == m * n * k / (done.cycles * 6)
    assert dataflow in (done.dataflow, "auto")
    assert done.run_cycles > done.cycles
    assert done.movement is not None
    assert (done.movement.macs, done.movement.dataflow) == (m * n * k, done.dataflow)
    assert (done.movement.c_reads > 0) == (start != "zero" or (done.dataflow != "os" and k > 3))


@pytest.mark.parametrize("shape", [(0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0)])
@pytest.mark.parametrize("start", ["zero", "bias", "c"])
def test_zero_sizes_are_those_of_numpy(shape: tuple[int, int, int], start: str) -> None:
    m, n, k = shape
    a, b = numbers(m, k), numbers(k, n)
    given = {"zero": {}, "bias": {"bias": numbers(1, n)}, "c": {"c": numbers(m, n)}}[start]
    done = tilewright.simulate(CORE, a, b, **given)
    want = a @ b + sum(given.values())
    assert done.c.shape == want.shape == (m, n)
    assert np.array_equal(done.c, want)
    assert (done.cycles, done.utilisation, done.movement) == (done.predicted_cycles, 0, None)


def test_auto_takes_the_dataflow_of_fewest_cycles() -> None:
    a, b = numbers(19, 3), numbers(3, 2)
    each = {flow: tilewright.simulate(CORE, a, b, dataflow=flow).cycles for flow in ("ws", "os", "is")}
    chosen = tilewright.simulate(CORE, a, b)
    assert chosen.cycles == each[chosen.dataflow] == min(each.values())


def test_a_saturating_core_saturates_at_every_step() -> None:
    a = np.array([[127] * 40])
    b = np.array([[127]] * 35 + [[-128]] * 5)
    done = tilewright.simulate(SMALL, a, b)
    total = 0
    for step in (a[0] * b[:, 0]).reshape(-1, 2).sum(axis=1):
        total = min(max(total + int(step), -(1 << 19)), (1 << 19) - 1)
    assert done.c.tolist() == [[total]]
    assert total != (a @ b)[0, 0]


def test_stalls_change_the_run_and_nothing_else() -> None:
    a, b = numbers(9, 11), numbers(11, 8)
    still = tilewright.simulate(CORE, a, b, dataflow="ws")
    stalled = tilewright.simulate(CORE, a, b, dataflow="ws", stall=0.4, seed=5)
    assert np.array_equal(still.c, stalled.c)
    assert still.cycles == stalled.cycles
    assert stalled.run_cycles > still.run_cycles


def test_lists_and_small_types_are_matrices_too() -> None:
    done = tilewright.simulate(CORE, [[1, 2], [3, 4]], np.array([[5, 6], [7, 8]], dtype=np.uint8), bias=[1, -1])
    assert done.c.tolist() == [[20, 21], [44, 49]]
    assert tilewright.simulate(CORE, [[], []], np.zeros((0, 3), dtype=int)).c.tolist() == [[0, 0, 0], [0, 0, 0]]


ONES = np.ones((4, 4), dtype=int)


def beyond(name: str, fmt: str, low: int, high: int, value: int, nearest: int) -> str:
    return f"{name} must hold values of {fmt}, {low}..{high}, got {value}; nearest legal value is {nearest}"


@pytest.mark.parametrize(
    ("a", "b", "more", "sentence"),
    [
        (
            ONES,
            ONES[:3],
            {},
            "b must have as many rows as a has columns, 4, got shape (3, 4); nearest legal shape is (4, 4)",
        ),
        ([1, 2], ONES, {}, "a must be a matrix of two dimensions, got shape (2,); nearest legal value is a[None, :]"),
        (ONES, 3, {}, "b must be a matrix of two dimensions, got shape (); nearest legal value is [[b]]"),
        (128 * ONES, ONES, {}, beyond("a", "int8", -128, 127, 128, 127)),
        (ONES, -(2**40) * ONES, {}, beyond("b", "int8", -128, 127, -(2**40), -128)),
        (
            ONES,
            np.full((4, 1), 2**64 - 1, dtype=np.uint64),
            {},
            beyond("b", "int8", -128, 127, 2**64 - 1, 127),
        ),
        (ONES, ONES, {"bias": [2**31, 0, 0, 0]}, beyond("bias", "int32", -(2**31), 2**31 - 1, 2**31, 2**31 - 1)),
        (ONES, ONES, {"bias": [1, 2, 3]}, "bias must have shape (1, 4), got (1, 3); nearest legal shape is (1, 4)"),
        (ONES, ONES, {"c": [[1]]}, "c must have shape (4, 4), got (1, 1); nearest legal shape is (4, 4)"),
        (
            ONES,
            ONES,
            {"bias": [0] * 4, "c": ONES},
            "bias and c must not be given together; C starts from one of them, or from zero",
        ),
        (
            ONES,
            ONES,
            {"dataflow": "osx"},
            "dataflow must be one of ws, os, is, auto on this core, got 'osx'; nearest legal value is os",
        ),
        (ONES, ONES, {"seed": 0}, "seed must be a whole number 1..2147483647, got 0; nearest legal value is 1"),
        (ONES, ONES, {"seed": True}, "seed must be a whole number 1..2147483647, got True; nearest legal value is 1"),
        (ONES, ONES, {"seed": 1.0}, "seed must be a whole number 1..2147483647, got 1.0; nearest legal value is 1"),
        (ONES, ONES, {"seed": [1]}, "seed must be a whole number 1..2147483647, got [1]; nearest legal value is 1"),
        (
            ONES,
            ONES,
            {"dataflow": np.arange(2)},
            "dataflow must be one of ws, os, is, auto on this core, got array([0, 1]); nearest legal value is ws",
        ),
        (ONES, ONES, {"stall": 1.5}, "stall must be a probability 0 <= p < 1, got 1.5; nearest legal value is 0.9"),
        (ONES, ONES, {"rows": 0}, "rows must be a whole number 1..256, got 0; nearest legal value is 1"),
        (
            ONES,
            ONES,
            {"product": "array"},
            "product must be core in a simulation, got 'array'; nearest legal value is core",
        ),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(a: Any, b: Any, more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(tilewright.ConfigError) as refused:
        tilewright.simulate(CORE, a, b, **more)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    "values",
    [
        np.ones((2, 2)), [[0.5]], [[float("nan")]], [[1j]], np.ones((2, 2), dtype=bool), [["x"]], [[None]], [[1 << 70]],
        np.ones((2, 2), dtype=object), np.ones((2, 2), dtype="m8[s]"), np.zeros((2, 2), dtype=[("a", int)]),
    ],
)  # fmt: skip
def test_only_integers_are_multiplied(values: Any) -> None:
    for error in (TypeError, tilewright.ConfigError):
        with pytest.raises(error, match=r"a must hold integers, got dtype .*; round to integers of int8 before"):
            tilewright.simulate(CORE, values, [[1], [1]])


class NoArray:
    """An object of a user's that answers numpy in its own way."""

    def __array__(self, *_: object, **__: object) -> Any:
        raise ZeroDivisionError

    def __repr__(self) -> str:
        return "NoArray()"


@pytest.mark.parametrize("values", [[[1, 2], [3]], [[1, [2]]], [[1], 2], NoArray()], ids=repr)
@pytest.mark.parametrize("name", ["a", "b", "bias", "c"])
def test_what_is_no_array_is_refused(name: str, values: Any) -> None:
    given = {"a": ONES, "b": ONES} | {name: values}
    told = rf"^{name} must be a matrix, got [^\n]*, which is no array; nearest legal value is a list of rows of one"
    with pytest.raises(tilewright.ConfigError, match=told):
        tilewright.simulate(CORE, **given)


@pytest.mark.parametrize("values", [3, None, "abc", {1}, np.array(3), np.ones((1, 1, 1), dtype=int), [[[1]]]], ids=repr)
@pytest.mark.parametrize("name", ["a", "bias"])
def test_matrices_have_two_dimensions(name: str, values: Any) -> None:
    if name == "bias" and values is None:
        return
    with pytest.raises(tilewright.ConfigError, match=rf"^{name} must be a matrix of two dimensions, got shape \("):
        tilewright.simulate(CORE, **({"a": ONES, "b": ONES} | {name: values}))


def test_masked_values_are_not_guessed() -> None:
    masked = np.ma.masked_array(ONES, ONES)
    with pytest.raises(tilewright.ConfigError, match=r"^a must have all its values, got masked ones; "):
        tilewright.simulate(CORE, masked, ONES)
    assert np.array_equal(tilewright.simulate(CORE, np.ma.masked_array(ONES), ONES).c, ONES @ ONES)


@pytest.mark.parametrize("bias", [[], [[]], ()])
def test_an_empty_bias_is_one_of_no_columns(bias: Any) -> None:
    assert tilewright.simulate(CORE, [[1, 2]], np.zeros((2, 0), dtype=int), bias=bias).c.shape == (1, 0)
    with pytest.raises(tilewright.ConfigError, match=r"^bias must have shape \(1, 4\), got \(1, 0\); nearest legal"):
        tilewright.simulate(CORE, ONES, ONES, bias=bias)


def test_numbers_of_numpy_are_numbers() -> None:
    plain = tilewright.simulate(CORE, ONES, ONES, seed=5, stall=0.5, dataflow="os")
    numbers: dict[str, Any] = {"seed": np.int64(5), "stall": np.float32(0.5), "dataflow": np.str_("os")}
    numpy = tilewright.simulate(CORE, ONES.astype(">i2"), np.asfortranarray(ONES), **numbers)
    assert np.array_equal(plain.c, numpy.c)
    assert plain.run_cycles == numpy.run_cycles


@pytest.mark.parametrize(
    ("m", "n", "k", "name", "nearest"),
    [
        (21, 2, 20, "a", (20, 20)),
        (20, 3, 24, "a", (16, 24)),
        (1, 4, 101, "b", (100, 4)),
        (1, 41, 20, "b", (9, 41)),
        (1, 90000, 1, "b", (1, 400)),
    ],
)
def test_the_nearest_shape_that_fits_is_told_and_does_fit(
    m: int, n: int, k: int, name: str, nearest: tuple[int, int]
) -> None:
    a, b = np.ones((m, k), dtype=int), np.ones((k, n), dtype=int)
    with pytest.raises(tilewright.ConfigError, match=rf"^{name} must fit its scratchpad of .*, got shape") as refused:
        tilewright.simulate(CORE, a, b)
    assert str(refused.value).endswith(f"nearest shape that fits is {nearest}")
    m, k, n = (*nearest, 1) if name == "a" else (1, *nearest)
    assert tilewright.simulate(CORE, np.ones((m, k), dtype=int), np.ones((k, n), dtype=int)).c.tolist() == [[k] * n] * m


def test_a_product_that_takes_long_is_no_hang() -> None:
    """Nothing comes or goes for a quarter of a million cycles."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(-8, 8, (64, 128)), rng.integers(-8, 8, (128, 64))
    result = tilewright.simulate(SMALL, a, b)
    assert result.cycles > 64**3
    np.testing.assert_array_equal(result.c, a @ b)
