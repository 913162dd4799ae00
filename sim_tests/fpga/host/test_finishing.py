from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.finishing import ending
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.numbers import to_codes
from tilewright.generators.reference.finish import finish_floats, finish_integers
from tilewright.generators.reference.product import product
from tilewright.hdl.numeric import BF16, FP32, IntFormat, decode
from tilewright.hdl.numeric.requantise import fixed_point
from tilewright.sim_tests.fpga.host.engines import refuses

INT8 = IntFormat(8)
RNG = np.random.default_rng(6)
A, B, BIAS = RNG.integers(-128, 128, (9, 20)), RNG.integers(-128, 128, (20, 13)), RNG.integers(-9999, 9999, 13)


def factors(scales: Any) -> tuple[Any, Any]:
    found = [fixed_point(float(scale)) for scale in np.atleast_1d(scales)]
    return np.array([each[0] for each in found]), np.array([each[1] for each in found])


@pytest.mark.parametrize("scale", [0.002, 1 / 3, 1.0, 0.5, 2.0**-32, 2.0**31 - 1, np.float32(0.01), 1])
@pytest.mark.parametrize("zero", [-128, 0, 5, 127])
def test_results_are_requantised(integers: Accelerator, scale: float, zero: int) -> None:
    multiplier, shift = fixed_point(float(scale))
    for activation, limits in ((None, (-128, 127)), ("relu", (zero, 127)), ("relu6", (zero, min(127, zero + 40)))):
        six = limits[1] if activation == "relu6" else None
        got = integers.matmul(A, B, bias=BIAS, scale=scale, zero_point=zero, activation=activation, six=six)
        assert got.dtype == np.int8
        assert np.array_equal(got, finish_integers(A @ B + BIAS, INT8, multiplier, shift, zero, limits))


@pytest.mark.parametrize("n", [1, 3, 4, 5, 13, 16])
def test_each_column_has_a_scale_of_its_own(integers: Accelerator, n: int) -> None:
    b, scales = np.resize(B, (20, n)), np.random.default_rng(n).uniform(0.0005, 0.05, n)
    multipliers, shifts = factors(scales)
    for kind in (np.asarray, lambda x: x.tolist(), np.float32):
        want = finish_integers(A @ b, INT8, *factors(kind(scales)), 2, (2, 127))
        assert np.array_equal(integers.matmul(A, b, scale=kind(scales), zero_point=2, activation="relu"), want)
    stack = integers.matmul(np.stack([A, A[::-1]]), b, scale=scales)
    want = finish_integers(A @ b, INT8, multipliers, shifts)
    assert np.array_equal(stack, np.stack([want, want[::-1]]))


def test_empty_results_have_their_type(integers: Accelerator) -> None:
    got = integers.matmul(A[:0], B, scale=0.5)
    assert got.shape == (0, 13)
    assert got.dtype == np.int8


@pytest.mark.parametrize("activation", [None, "relu", "gelu"])
def test_floats_are_rounded_once(floats: Accelerator, activation: str | None) -> None:
    rng = np.random.default_rng(9)
    a, b, bias = rng.normal(size=(5, 8)), rng.normal(size=(8, 7)), rng.normal(size=7)
    got = floats.matmul(a, b, bias=bias, activation=activation, narrow=True)
    left, right, start = to_codes("a", a, BF16, 0), to_codes("b", b, BF16, 0), to_codes("bias", bias, FP32, 0)
    acc = product(floats.config, left, right, start)
    assert got.dtype == np.float32
    assert np.array_equal(got, decode(finish_floats(acc, FP32, BF16, activation or "none"), BF16))
    if activation is not None:
        assert np.array_equal(floats.matmul(a, b, bias=bias, activation=activation), got)


S: dict[str, Any] = {"scale": 0.01}
RULE = "scale must be numbers from 2.3283064365386963e-10 to 2147483647.0, got "
REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "nan": (lambda e: e.matmul(A, B, scale=float("nan")), RULE + "nan; nearest"),
    "inf": (lambda e: e.matmul(A, B, scale=float("inf")), RULE + "inf; nearest legal value is 2147483647.0"),
    "zero": (lambda e: e.matmul(A, B, scale=0), RULE + "0.0; nearest legal value is 2.3283064365386963e-10"),
    "negative": (lambda e: e.matmul(A, B, scale=-1), RULE + "-1.0; nearest"),
    "large": (lambda e: e.matmul(A, B, scale=2.0**31), RULE + "2147483648.0; nearest legal value is 2147483647.0"),
    "small": (lambda e: e.matmul(A, B, scale=1e-10), RULE + "1e-10; nearest"),
    "text": (lambda e: e.matmul(A, B, scale="x"), RULE + "'x'; nearest legal value is 1.0"),
    "truth": (lambda e: e.matmul(A, B, scale=True), RULE + "True; nearest"),
    "complex": (lambda e: e.matmul(A, B, scale=1j), RULE + "1j; nearest"),
    "texts": (lambda e: e.matmul(A, B, scale=["x"] * 13), RULE),
    "nothings": (lambda e: e.matmul(A, B, scale=[None] * 13), RULE),
    "one that is none": (lambda e: e.matmul(A, B, scale=[1.0] * 12 + [np.nan]), RULE + "nan"),
    "ragged": (lambda e: e.matmul(A, B, scale=[[1.0], [2.0, 3.0]]), "scale must be a matrix, got"),
    "number of them": (lambda e: e.matmul(A, B, scale=[1.0, 2.0]), "one for each of 13 columns, got shape (2,)"),
    "matrix": (lambda e: e.matmul(A, B, scale=np.ones((1, 13))), "one for each of 13 columns, got shape (1, 13)"),
    "channels": (lambda e: e.matmul(A, np.resize(B, (20, 33)), scale=np.ones(33)), "at most 32 columns on this engine"),
    "zero point": (lambda e: e.matmul(A, B, zero_point=128, **S), "zero_point must be a whole number -128..127, got"),
    "zero point, float": (lambda e: e.matmul(A, B, zero_point=1.5, **S), "zero_point must be a whole number"),
    "zero point, text": (lambda e: e.matmul(A, B, zero_point="x", **S), "got 'x'; nearest legal value is 0"),
    "zero point, none": (lambda e: e.matmul(A, B, zero_point=None, **S), "zero_point must be a whole number"),
    "zero point, array": (lambda e: e.matmul(A, B, zero_point=np.array([1, 2]), **S), "zero_point must be a whole"),
    "zero point alone": (lambda e: e.matmul(A, B, zero_point=3), "zero_point must be left out without a scale, got 3"),
    "activation": (lambda e: e.matmul(A, B, activation="elu", **S), "activation 'elu' does not exist; nearest is"),
    "function": (lambda e: e.matmul(A, B, activation="gelu", **S), "activation gelu of integers must be a Lookup"),
    "activation, number": (lambda e: e.matmul(A, B, activation=3, **S), "activation 3 does not exist; nearest is"),
    "activation, list": (lambda e: e.matmul(A, B, activation=["relu"], **S), "activation ['relu'] does not exist"),
    "activation alone": (lambda e: e.matmul(A, B, activation="relu"), "activation relu must come with a scale"),
    "no six": (lambda e: e.matmul(A, B, activation="relu6", **S), "six must be told with relu6"),
    "six": (lambda e: e.matmul(A, B, activation="relu6", six=128, **S), "six must be a whole number 0..127, got 128"),
    "six, text": (lambda e: e.matmul(A, B, activation="relu6", six="x", **S), "six must be a whole number 0..127"),
    "six below zero": (lambda e: e.matmul(A, B, activation="relu6", six=4, zero_point=5, **S),
                       "six must be a whole number 5..127, got 4; nearest legal value is 5"),
    "six alone": (lambda e: e.matmul(A, B, six=3, **S), "six must be left out without relu6, got 3"),
    "narrow": (lambda e: e.matmul(A, B, narrow=True), "narrow must be left out for accumulators int32, got True"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_engine_cannot_do_is_refused_and_nothing_runs(integers: Accelerator, case: str) -> None:
    call, sentence = REFUSED[case]
    before = integers.last
    refuses(lambda: call(integers), sentence)
    assert integers.last is before


def test_what_an_engine_of_floats_cannot_do(floats: Any) -> None:
    a: Any = [[1.0]]
    refuses(lambda: floats.matmul(a, a, activation="tanh"), "activation 'tanh' does not exist; nearest is")
    refuses(lambda: floats.matmul(a, a, activation="relu6"), "activation 'relu6' does not exist; nearest is 'relu'")
    refuses(
        lambda: floats.matmul(a, a, narrow="x"), "narrow must be True or False, got 'x'; nearest legal value is False"
    )
    refuses(lambda: floats.matmul(a, a, zero_point=1), "zero_point must be left out for accumulators fp32, got 1")
    refuses(lambda: floats.matmul(a, a, six=6), "six must be left out for accumulators fp32, got 6")


def test_sums_beyond_33_bits_are_refused_a_scale_with_which_they_would_show() -> None:
    """They saturate before they are scaled: with the smallest scale that is taken, nobody sees it."""
    wide = EngineConfig(rows=2, cols=2, a="int16", b="int16", acc="int48", result="int16")
    least = (1 << 15) / ((1 << 32) - 1)

    def end(scale: Any, zero_point: int = 0, activation: str | None = None, six: int | None = None) -> Any:
        return ending(wide, 1, scale, zero_point, activation, False, six)

    for scale, how in (
        (least, {}),
        (2 * least, {"zero_point": -32768}),
        (least / 2, {"activation": "relu6", "six": 9}),
    ):
        finish = end(scale, **how).finish
        for acc in ((1 << 47) - 1, -(1 << 47), 1 << 32, (1 << 32) - 1, -(1 << 32)):
            exact = finish.zero_point + round(acc * Fraction(finish.multiplier, 1 << finish.shift))
            saturated = np.array([[min(max(acc, -(1 << 32)), (1 << 32) - 1)]])
            limits, out = (finish.low, finish.high), IntFormat(16)
            found = finish_integers(saturated, out, finish.multiplier, finish.shift, finish.zero_point, limits)
            assert found.item() == min(max(exact, finish.low), finish.high)
    refuses(lambda: end(0.99 * least), f"scale must be numbers from {least} to")
    refuses(lambda: end(1.9 * least, zero_point=-32768), "scale must be numbers from 1.5")
    refuses(lambda: end(np.array([1.0, 0.99 * least])[1:]), "scale must be")
