from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.reference.finish import finish_integers
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.numeric.requantise import fixed_point
from tilewright.sim_tests.fpga.host.engines import refuses

Pair = tuple[int, int]


def convolved(x: Any, w: Any, stride: Pair, pads: tuple[Pair, Pair], dilation: Pair, zero: int) -> Any:
    """The definition, tap by tap."""
    x = np.pad(x, ((0, 0), *pads, (0, 0)), constant_values=zero) - zero
    height, width = (
        (x.shape[1 + axis] - dilation[axis] * (w.shape[axis] - 1) - 1) // stride[axis] + 1 for axis in (0, 1)
    )
    out = np.zeros((len(x), height, width, w.shape[3]), int)
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            top, left = i * dilation[0], j * dilation[1]
            rows = slice(top, top + stride[0] * (height - 1) + 1, stride[0])
            out += x[:, rows, left : left + stride[1] * (width - 1) + 1 : stride[1]] @ w[i, j]
    return out


CASES: list[tuple[Any, ...]] = [
    # pictures, height, width, channels; kernel; output channels; stride; padding; dilation; zero point
    ((1, 1, 1, 1), (1, 1), 1, (1, 1), ((0, 0), (0, 0)), (1, 1), 0),
    ((1, 5, 5, 1), (3, 3), 2, (1, 1), ((0, 0), (0, 0)), (1, 1), 0),
    ((2, 8, 7, 3), (3, 3), 5, (2, 2), ((1, 1), (1, 1)), (1, 1), -7),
    ((1, 9, 11, 16), (1, 1), 9, (1, 1), ((0, 0), (0, 0)), (1, 1), 3),
    ((2, 12, 10, 5), (3, 2), 6, (1, 2), ((2, 1), (0, 3)), (2, 3), 11),
    ((3, 4, 4, 2), (4, 4), 7, (3, 3), ((0, 0), (0, 0)), (1, 1), 127),
    ((1, 2, 2, 1), (3, 3), 1, (1, 1), ((2, 2), (2, 2)), (1, 1), -128),
    ((1, 6, 300, 1), (1, 255), 3, (255, 1), ((0, 0), (0, 0)), (1, 1), 0),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_convolution_is_that_of_its_definition(integers: Accelerator, case: int) -> None:
    shape, kernel, out, stride, pads, dilation, zero = CASES[case]
    rng = np.random.default_rng(case)
    x, w = rng.integers(-128, 128, shape), rng.integers(-128, 128, (*kernel, shape[3], out))
    bias = rng.integers(-1000, 1000, out)
    how: dict[str, Any] = {"stride": stride, "padding": pads, "dilation": dilation, "a_zero": zero}
    want = convolved(x, w, stride, pads, dilation, zero)
    assert np.array_equal(integers.conv2d(x, w, **how), want)
    assert np.array_equal(integers.conv2d(x, w, bias, **how), want + bias)
    scales = rng.uniform(0.001, 0.02, out)
    found = [fixed_point(scale) for scale in scales]
    multipliers, shifts = np.array([f[0] for f in found]), np.array([f[1] for f in found])
    finished = finish_integers((want + bias).reshape(-1, out), IntFormat(8), multipliers, shifts, 4, (4, 127))
    got = integers.conv2d(x, w, bias, scale=scales, zero_point=4, activation="relu", **how)
    assert got.dtype == np.int8
    assert np.array_equal(got, finished.reshape(want.shape))


X, W = np.random.default_rng(1).integers(-9, 9, (1, 5, 6, 3)), np.random.default_rng(2).integers(-9, 9, (3, 3, 3, 4))


@pytest.mark.parametrize("padding", [1, (1, 1), ((1, 1), (1, 1)), np.int8(1), np.array([1, 1]), [[1, 1], [1, 1]]])
def test_padding_as_one_number_two_or_four(integers: Any, padding: Any) -> None:
    want = convolved(X, W, (2, 2), ((1, 1), (1, 1)), (1, 1), 0)
    assert np.array_equal(integers.conv2d(X, W, padding=padding, stride=np.int64(2)), want)
    assert np.array_equal(integers.conv2d(X.tolist(), np.asfortranarray(W), padding=padding, stride=[2, 2]), want)


def test_floats(floats: Accelerator) -> None:
    got = floats.conv2d(X * 0.5, W * 0.25, np.arange(4.0), padding=1)
    want = convolved(X, W, (1, 1), ((1, 1), (1, 1)), (1, 1), 0) * 0.125 + np.arange(4.0)
    assert got.dtype == np.float32
    assert np.array_equal(got, want)  # all sums are exact


@pytest.mark.parametrize(
    ("x", "w", "shape"),
    [(X[:0], W, (0, 3, 4, 4)), (X, W[..., :0], (1, 3, 4, 0)), (X[..., :0], W[:, :, :0], (1, 3, 4, 4))],
)
def test_nothing_to_compute(integers: Accelerator, x: Any, w: Any, shape: tuple[int, ...]) -> None:
    before = integers.last
    bias = np.arange(shape[3])
    got = integers.conv2d(x, w, bias)
    assert got.shape == shape
    assert got.dtype == np.int32
    assert np.array_equal(got, np.zeros(shape, int) + bias)
    assert integers.last is before


def test_nothing_to_compute_is_pooled(integers: Accelerator) -> None:
    whole = integers.conv2d(np.zeros((0, 4, 6, W.shape[2]), int), W, padding=((1, 1), (1, 1)), scale=1.0)
    pooled = integers.conv2d(np.zeros((0, 4, 6, W.shape[2]), int), W, padding=((1, 1), (1, 1)), scale=1.0, pool=True)
    assert pooled.shape == (0, whole.shape[1] // 2, whole.shape[2] // 2, whole.shape[3])


def test_one_number_of_padding_may_be_an_array(integers: Accelerator) -> None:
    number: Any = np.array(1)
    assert np.array_equal(integers.conv2d(X, W, padding=number), integers.conv2d(X, W, padding=1))


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "picture": (
        lambda e: e.conv2d(X[0], W),
        "x must have four dimensions, pictures, height, width, channels, got shape",
    ),
    "weight": (lambda e: e.conv2d(X, W[0]), "weight must have four dimensions, kernel height, kernel width, channels,"),
    "channels": (lambda e: e.conv2d(X, W[:, :, :2]), "weight must have 3 channels as x has, got 2"),
    "floats": (lambda e: e.conv2d(X * 1.0, W), "x must hold integers, got dtype float64"),
    "weights of floats": (lambda e: e.conv2d(X, W * 1.0), "weight must hold integers, got dtype float64"),
    "range": (lambda e: e.conv2d(X * 100, W), "x must hold values of int8, -128..127"),
    "bias": (lambda e: e.conv2d(X, W, [1, 2]), "bias must have shape (1, 4), got (1, 2)"),
    "stride 0": (lambda e: e.conv2d(X, W, stride=0), "got 0; nearest legal value is 1"),
    "stride 256": (lambda e: e.conv2d(X, W, stride=256), "got 256; nearest legal value is 255"),
    "stride, float": (
        lambda e: e.conv2d(X, W, stride=1.5),
        "stride must be a whole number 1..255, or two of them, got 1.5",
    ),
    "stride, text": (
        lambda e: e.conv2d(X, W, stride="a"),
        "stride must be a whole number 1..255, or two of them, got 'a'",
    ),
    "stride, none": (lambda e: e.conv2d(X, W, stride=None), "stride must be a whole number 1..255, or two"),
    "three strides": (lambda e: e.conv2d(X, W, stride=(1, 2, 3)), "stride must be a whole number 1..255, or two"),
    "no stride": (lambda e: e.conv2d(X, W, stride=()), "stride must be a whole number 1..255, or two"),
    "padding -1": (
        lambda e: e.conv2d(X, W, padding=-1),
        "padding must be a whole number 0..255, or two of them, got -1",
    ),
    "padding, text": (lambda e: e.conv2d(X, W, padding="same"), "padding must be a whole number 0..255, or two"),
    "padding, pairs": (
        lambda e: e.conv2d(X, W, padding=((1, 2, 3), (1, 2, 3))),
        "padding must be a whole number 0..255",
    ),
    "padding, three": (lambda e: e.conv2d(X, W, padding=(1, 2, 3)), "padding must be one number, two, or two pairs"),
    "padding, texts": (lambda e: e.conv2d(X, W, padding=(("a", "b"), (1, 1))), "padding must be a whole number"),
    "padding, mapping": (lambda e: e.conv2d(X, W, padding={}), "padding must be a whole number 0..255, or two"),
    "dilation": (lambda e: e.conv2d(X, W, dilation=0), "dilation must be a whole number 1..255, or two of them, got 0"),
    "too far apart": (
        lambda e: e.conv2d(X, W, dilation=3),
        "a kernel must fit into the padded picture, got outputs of -1 x",
    ),
    "no kernel": (lambda e: e.conv2d(X, W[:0]), "weight must have a height and a width of at least 1"),
    "no pixel": (lambda e: e.conv2d(X[:, :, :0], W, padding=2), "x must have a height and a width of at least 1"),
    "wide": (lambda e: e.conv2d(np.ones((1, 1, 300, 1), int), np.ones((1, 256, 1, 1), int)), "a width of at most 255"),
    "zero": (lambda e: e.conv2d(X, W, a_zero=200), "a_zero must be a whole number -128..127, got 200"),
    "zero, float": (lambda e: e.conv2d(X, W, a_zero=0.5), "a_zero must be a whole number -128..127, got 0.5"),
    "scales": (lambda e: e.conv2d(X, W, scale=[1.0]), "one for each of 4 columns, got shape (1,)"),
    "nothing finished": (
        lambda e: e.conv2d(X[..., :0], W[:, :, :0], scale=1),
        "K must be at least 1 where results are",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused_and_nothing_runs(integers: Accelerator, case: str) -> None:
    call, sentence = REFUSED[case]
    before = integers.last
    refuses(lambda: call(integers), sentence)
    assert integers.last is before
