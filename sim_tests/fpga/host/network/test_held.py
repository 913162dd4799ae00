"""Networks whose products follow each other are one program; what numpy must do splits them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.sim_tests.fpga.host.engines import INTEGERS, accelerator
from tilewright.sim_tests.fpga.host.network.models import agrees, model, node
from tilewright.sim_tests.fpga.host.network.test_products import tie_free
from tilewright.sim_tests.fpga.host.network.test_run import classifier

F: Any = np.float32
I8: Any = np.int8
I64: Any = np.int64


def starts(engine: Accelerator, network: Any, inputs: Any) -> int:
    """Programs that the network takes; its outputs are those of ONNX."""
    with engine.program() as program:
        agrees(engine, network, inputs)
    return len(program.runs)


@pytest.mark.parametrize(("which", "unsigned"), [("integers", False), ("integers", True), ("cores", True)])
def test_a_quantised_classifier_takes_one_start(which: str, unsigned: bool, request: pytest.FixtureRequest) -> None:
    engine = request.getfixturevalue(which)
    assert starts(engine, *classifier(np.random.default_rng(41 + unsigned), unsigned)) == 1
    assert engine.last.macs == 2 * 36 * 27 * 5 + 2 * 45 * 7 + 2 * 7 * 4


def pictures(size: int, zero: int, then: list[Any], opset: int = 21) -> tuple[Any, Any]:
    """A convolution of ``size`` x ``size`` pixels whose results have a zero point, and what comes then."""
    rng = np.random.default_rng(size)
    constants = {
        "xs": F(1), "xz": I8(3), "w": rng.integers(-50, 50, (4, 3, 3, 3)).astype(I8), "ws": tie_free(0.01),
        "wz": I8(0), "ys": F(1), "yz": I8(zero), "shape": I64([1, -1]), "tall": I64([4, -1]),
        "v": rng.integers(-50, 50, (size * size, 3)).astype(I8), "u": rng.integers(-9, 9, (3, 3)).astype(I8),
    }  # fmt: skip
    conv = node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"], "c", pads=[1, 1, 1, 1])
    x = rng.integers(-128, 128, (1, 3, size, size)).astype(I8)
    return model([conv, *then], {"x": x}, constants, "y", opset), {"x": x}


def again(x: str, y: str) -> Any:
    """The same convolution of four channels would need other weights: a product by ones of what is flat."""
    return node("MatMulInteger", [x, "v", "yz"], y)


POOL = {"kernel_shape": [2, 2], "strides": [2, 2]}


@pytest.mark.parametrize(
    ("size", "zero", "then", "runs"),
    [
        (6, 0, [node("Relu", ["c"], "r"), node("MaxPool", ["r"], "p", **POOL), node("Flatten", ["p"], "f"),
                again("f", "y")], 1),
        (6, -1, [node("Relu", ["c"], "r"), node("MaxPool", ["r"], "p", **POOL), node("Flatten", ["p"], "f"),
                 again("f", "y")], 2),
        (6, 5, [node("MaxPool", ["c"], "p", **POOL), node("Reshape", ["p", "shape"], "f"), again("f", "y")], 1),
        (6, 5, [node("MaxPool", ["c"], "p", **POOL), node("Flatten", ["p"], "f"), node("Reshape", ["f", "shape"], "g"),
                again("g", "y")], 1),
        (7, 5, [node("MaxPool", ["c"], "y", **POOL)], 1),
        (6, 5, [node("Reshape", ["c", "tall"], "y")], 1),
        (6, 0, [node("MaxPool", ["c"], "p", **POOL), node("Transpose", ["p"], "t", perm=[0, 1, 3, 2]),
                node("Flatten", ["t"], "f"), again("f", "y")], 2),
        (6, 0, [node("Transpose", ["c"], "y", perm=[1, 0, 2, 3]), node("MaxPool", ["c"], "p", **POOL)], 1),
    ],
)  # fmt: skip
def test_what_follows_a_convolution(integers: Accelerator, size: int, zero: int, then: list[Any], runs: int) -> None:
    network, inputs = pictures(size, zero, then)
    assert starts(integers, network, inputs) == runs


def test_layers_of_integers_with_zero_points_and_a_rectifier(integers: Accelerator) -> None:
    rng = np.random.default_rng(51)
    constants = {"s": F(1), "ws": tie_free(0.02), "z": I8(0), "w": rng.integers(-50, 50, (6, 6)).astype(I8)}
    layer = ["s", "z", "w", "ws", "z", "s", "z"]
    nodes = [
        node("QLinearMatMul", ["x", *layer], "h"),
        node("Relu", ["h"], "r"),
        node("QLinearMatMul", ["r", *layer], "g"),
        node("MatMulInteger", ["g", "w"], "y"),
    ]
    x = rng.integers(-128, 128, (2, 3, 6)).astype(I8)
    assert starts(integers, model(nodes, {"x": x}, constants, "y"), {"x": x}) == 1


@pytest.mark.parametrize(("memory_bytes", "size"), [(4096, 30), (8192, 40)])
def test_a_network_larger_than_memory_is_split(memory_bytes: int, size: int) -> None:
    """There is no room for both layers' data, or for both layers' instructions."""
    rng = np.random.default_rng(52)
    constants = {f"w{at}": rng.integers(-9, 9, (size, size)).astype(I8) for at in range(2)}
    constants |= {"s": F(1), "ws": tie_free(0.02), "z": I8(0)}
    nodes = [
        node("QLinearMatMul", ["x", "s", "z", "w0", "ws", "z", "s", "z"], "h"),
        node("MatMulInteger", ["h", "w1"], "y"),
    ]
    x = rng.integers(-128, 128, (3, size)).astype(I8)
    with accelerator(INTEGERS, memory_bytes=memory_bytes) as engine:
        assert starts(engine, model(nodes, {"x": x}, constants, "y"), {"x": x}) == 2
