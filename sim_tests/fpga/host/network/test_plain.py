"""Operators that are computed in numpy, against the reference evaluator of ONNX: bit for bit. Nothing runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.sim_tests.fpga.host.engines import refuses
from tilewright.sim_tests.fpga.host.network.models import agrees, one

F: Any = np.float32
I8: Any = np.int8
U8: Any = np.uint8
I32: Any = np.int32
I64: Any = np.int64
RNG = np.random.default_rng(4)
X = RNG.normal(size=(2, 3, 7, 6)).astype(F)
BYTES = RNG.integers(0, 256, (2, 3, 7, 6)).astype(np.uint8)
SIGNED = RNG.integers(-128, 128, (2, 3, 7, 6)).astype(np.int8)
EDGES = np.array([[0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1e9, -1e9, 127.49, -128.51, 0.0, -0.0]], F)

CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "quantize to uint8": ("QuantizeLinear", {"x": X, "s": F(0.02), "z": np.uint8(128)}, {}),
    "quantize to int8": ("QuantizeLinear", {"x": X, "s": F(0.02), "z": np.int8(-7)}, {}),
    "quantize without zero": ("QuantizeLinear", {"x": X, "s": F(0.02)}, {}),
    "quantize ties and edges": ("QuantizeLinear", {"x": EDGES, "s": F(1), "z": np.int8(3)}, {}),
    "quantize along axis 1": ("QuantizeLinear", {"x": X, "s": F([0.1, 0.2, 3]), "z": I8([1, 2, -3])}, {}),
    "quantize along the last axis": (
        "QuantizeLinear",
        {"x": X, "s": RNG.uniform(0.01, 1, 6).astype(F), "z": RNG.integers(0, 255, 6).astype(np.uint8)},
        {"axis": -1},
    ),
    "quantize float16": ("QuantizeLinear", {"x": X.astype(np.float16), "s": np.float16(0.02), "z": np.uint8(9)}, {}),
    "dequantize uint8": ("DequantizeLinear", {"x": BYTES, "s": F(0.02), "z": np.uint8(200)}, {}),
    "dequantize int8": ("DequantizeLinear", {"x": SIGNED, "s": F(0.3), "z": np.int8(-128)}, {}),
    "dequantize without zero": ("DequantizeLinear", {"x": SIGNED, "s": F(0.3)}, {}),
    "dequantize along axis 1": (
        "DequantizeLinear", {"x": BYTES, "s": np.array([0.1, 0.2, 3], F), "z": U8([1, 2, 255])}, {},
    ),
    "dequantize along axis 2": (
        "DequantizeLinear", {"x": SIGNED, "s": RNG.uniform(0.01, 1, 7).astype(F)}, {"axis": 2},
    ),
    "dequantize int32": ("DequantizeLinear", {"x": I32([[1 << 30, -5, 123456789]]), "s": F(1e-3)}, {}),
    "dequantize to float16": ("DequantizeLinear", {"x": SIGNED, "s": np.float16(0.3), "z": np.int8(5)}, {}),
    "relu": ("Relu", {"x": X}, {}),
    "relu of NaN and zeros": ("Relu", {"x": np.array([np.nan, -0.0, 0.0, -np.inf, np.inf], F)}, {}),
    "relu of int8": ("Relu", {"x": SIGNED}, {}),
    "add": ("Add", {"x": X, "other": X[:1] * 2}, {}),
    "add, broadcast": ("Add", {"x": X, "other": np.array([[1.5], [2.5], [3.5]], F)[:, :, None]}, {}),
    "add int32": ("Add", {"x": SIGNED.astype(np.int32), "other": np.int32(5)}, {}),
    "flatten": ("Flatten", {"x": X}, {}),
    "flatten, axis 0": ("Flatten", {"x": X}, {"axis": 0}),
    "flatten, axis 4": ("Flatten", {"x": X}, {"axis": 4}),
    "flatten, axis -1": ("Flatten", {"x": X}, {"axis": -1}),
    "reshape": ("Reshape", {"x": X, "shape": I64([6, -1])}, {}),
    "reshape with 0": ("Reshape", {"x": X, "shape": I64([0, 0, -1])}, {}),
    "reshape to nothing": ("Reshape", {"x": X[:0], "shape": I64([0, 3, 42])}, {"allowzero": 1}),
    "transpose": ("Transpose", {"x": X}, {}),
    "transpose, perm": ("Transpose", {"x": X}, {"perm": [0, 2, 3, 1]}),
    "pool": ("MaxPool", {"x": X}, {"kernel_shape": [2, 2]}),
    "pool, strides": ("MaxPool", {"x": X}, {"kernel_shape": [3, 2], "strides": [2, 3]}),
    "pool, pads": ("MaxPool", {"x": X - 9}, {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    "pool, ceil": ("MaxPool", {"x": X}, {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    "pool, dilations": ("MaxPool", {"x": X}, {"kernel_shape": [2, 3], "dilations": [3, 2]}),
    "pool of uint8": ("MaxPool", {"x": BYTES}, {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "pool of int8": ("MaxPool", {"x": SIGNED}, {"kernel_shape": [2, 2], "strides": [1, 2]}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_it_is_what_onnx_says(integers: Accelerator, case: str) -> None:
    op, operands, attributes = CASES[case]
    before = integers.last
    agrees(integers, *one(op, operands, **attributes))
    assert integers.last is before


def test_quantizing_saturates_as_the_standard_says(integers: Accelerator) -> None:
    # The evaluator casts to int32 first, which has no such numbers.
    x = np.array([np.inf, -np.inf, 1e30, -1e30], F)
    for zero, low, high in ((np.int8(-5), -128, 127), (np.uint8(200), 0, 255)):
        network, inputs = one("QuantizeLinear", {"x": x, "s": F(0.5), "z": zero})
        assert integers.run(network, inputs)["y"].tolist() == [high, low, high, low]


@pytest.mark.parametrize("pads", [[1, 0, 2, 1], [0, 1, 0, 2], [2, 2, 0, 0]])
def test_pads_that_differ(integers: Accelerator, pads: list[int]) -> None:
    # The evaluator takes them in another order than the standard (those of an axis together), so these are numpy's.
    network, inputs = one("MaxPool", {"x": X}, kernel_shape=[3, 3], pads=pads)
    top, left, bottom, right = pads
    padded = np.pad(X, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=-np.inf)
    want = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3)).max(axis=(4, 5))
    assert np.array_equal(integers.run(network, inputs)["y"], want)


def test_padding_of_integers_never_wins(integers: Accelerator) -> None:
    for x, dtype in ((np.full((1, 1, 2, 2), -128), np.int8), (np.full((1, 1, 2, 2), 0), np.uint8)):
        network, inputs = one("MaxPool", {"x": x.astype(dtype)}, kernel_shape=[2, 2], pads=[1, 1, 1, 1])
        got = integers.run(network, inputs)["y"]
        assert got.shape == (1, 1, 3, 3)
        assert (got == x.min()).all()


REFUSED: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "NaN": ("QuantizeLinear", {"x": np.array([np.nan], F), "s": F(1)}, {}, "x must hold numbers, got NaN"),
    "int32": ("QuantizeLinear", {"x": X, "s": F(1), "z": np.int32(0)}, {}, "zero point must be of int8 or uint8"),
    "channels": ("QuantizeLinear", {"x": X, "s": np.ones(4, F)}, {}, "operands must fit together"),
    "floats": ("DequantizeLinear", {"x": X, "s": F(1)}, {}, "x must hold integers, got float32"),
    "types": ("Add", {"x": X, "other": np.int32(1)}, {}, "addends must be of one type, got float32 and int32"),
    "shapes": (
        "Add",
        {"x": X, "other": np.ones(4, F)},
        {},
        "operands must fit together: operands could not be broadcast",
    ),
    "axis": ("Flatten", {"x": X}, {"axis": 5}, "axis must be one of x, -4..4, got 5"),
    "elements": ("Reshape", {"x": X, "shape": I64([5, -1])}, {}, "shape must have 252 elements, got (5, -1)"),
    "perm": ("Transpose", {"x": X}, {"perm": [0, 1]}, "operands must fit together"),
    "kernel": ("MaxPool", {"x": X}, {"kernel_shape": [3]}, "must have a kernel of two dimensions, got [3]"),
    "padding": ("MaxPool", {"x": X}, {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"}, "must have auto_pad NOTSET"),
    "order": ("MaxPool", {"x": X}, {"kernel_shape": [2, 2], "storage_order": 1}, "must have storage_order 0, got 1"),
    "picture": ("MaxPool", {"x": X[0]}, {"kernel_shape": [2, 2]}, "x must have four dimensions, got shape (3, 7, 6)"),
    "attribute": ("QuantizeLinear", {"x": X, "s": F(1)}, {"block_size": 2}, "got block_size"),
    "inputs": ("Relu", {"x": X, "other": X}, {}, "node 'the_y' (Relu) must have 1 to 1 inputs, got 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_it_cannot_do_is_refused_by_node(integers: Accelerator, case: str) -> None:
    op, operands, attributes, sentence = REFUSED[case]
    network, inputs = one(op, operands, **attributes)
    refuses(lambda: integers.run(network, inputs), sentence)
    refuses(lambda: integers.run(network, inputs), f"node 'the_y' ({op})")
