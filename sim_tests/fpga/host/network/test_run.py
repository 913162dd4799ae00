from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.network import GraphBuilder, Node, run_graph
from tilewright.sim_tests.fpga.host.engines import refuses
from tilewright.sim_tests.fpga.host.network.models import agrees, model, node
from tilewright.sim_tests.fpga.host.network.test_products import tie_free

F: Any = np.float32
I64: Any = np.int64


def classifier(rng: np.random.Generator, unsigned: bool) -> Any:
    """Convolution, pooling, two layers: pictures of floats in, floats out."""
    kind: Any = np.uint8 if unsigned else np.int8
    middle = 128 if unsigned else 0
    low, high = middle - 100, middle + 100
    constants = {
        "xs": F(0.03125), "xz": kind(middle - 3), "ys": F(0.5), "yz": kind(middle - 20), "hs": F(1), "hz": kind(middle),
        "zs": F(1), "zz": kind(middle + 10),
        "w1": rng.integers(-100, 100, (5, 3, 3, 3)).astype(np.int8), "w1s": tie_free(rng.uniform(0.05, 0.2, 5)),
        "w1z": np.zeros(5, np.int8), "b1": rng.integers(-500, 500, 5).astype(np.int32),
        "w2": rng.integers(low, high, (45, 7)).astype(kind), "w2s": tie_free(0.011), "w2z": kind(middle),
        "w3": rng.integers(low, high, (7, 4)).astype(kind), "w3s": tie_free(rng.uniform(0.01, 0.03, 4)),
        "w3z": np.full(4, middle, kind),
    }  # fmt: skip
    nodes = [
        node("QuantizeLinear", ["x", "xs", "xz"], "q"),
        node("QLinearConv", ["q", "xs", "xz", "w1", "w1s", "w1z", "ys", "yz", "b1"], "c", pads=[1, 1, 1, 1]),
        node("MaxPool", ["c"], "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", ["p"], "f"),
        node("QLinearMatMul", ["f", "ys", "yz", "w2", "w2s", "w2z", "hs", "hz"], "h"),
        node("QLinearMatMul", ["h", "hs", "hz", "w3", "w3s", "w3z", "zs", "zz"], "z"),
        node("DequantizeLinear", ["z", "zs", "zz"], "d"),
        node("Relu", ["d"], "y"),
    ]
    x = rng.normal(size=(2, 3, 6, 6)).astype(F)
    return model(nodes, {"x": x}, constants, "y"), {"x": x}


@pytest.mark.parametrize("unsigned", [False, True])
def test_a_quantised_classifier_is_that_of_onnx(integers: Accelerator, unsigned: bool) -> None:
    network, inputs = classifier(np.random.default_rng(31 + unsigned), unsigned)
    got = agrees(integers, network, inputs)
    assert len(np.unique(got)) > 2
    assert np.array_equal(integers.run(network.SerializeToString(), inputs)["y"], got)


def test_a_residual_block_of_integers_is_that_of_onnx(integers: Accelerator) -> None:
    rng = np.random.default_rng(33)
    x = rng.integers(0, 256, (1, 4, 5, 5)).astype(np.uint8)
    constants = {"w": rng.integers(-99, 99, (4, 4, 3, 3)).astype(np.int8), "xz": np.uint8(77), "s": F(0.01),
                 "shape": I64([0, -1])}  # fmt: skip
    nodes = [
        node("ConvInteger", ["x", "w", "xz"], "c", pads=[1, 1, 1, 1]),
        node("Transpose", ["c"], "t", perm=[0, 1, 3, 2]),
        node("Add", ["c", "t"], "s2"),
        node("DequantizeLinear", ["s2", "s"], "d"),
        node("Relu", ["d"], "r"),
        node("Reshape", ["r", "shape"], "y"),
    ]
    agrees(integers, model(nodes, {"x": x}, constants, "y"), {"x": x})


def test_a_graph_built_in_python(floats: Accelerator) -> None:
    rng = np.random.default_rng(34)
    build = GraphBuilder()
    x = build.input("x")
    hidden = build.add("Gemm", x, build.constant(rng.integers(-4, 5, (5, 6)).astype(F)), transB=1, name="first")
    build.add("MatMul", build.add("Relu", hidden), build.constant(rng.integers(-4, 5, (5, 3)).astype(F)), name="second")
    graph = build.graph("second", hidden)
    given = rng.integers(-4, 5, (2, 6)).astype(F)
    got = floats.run(graph, {"x": given})
    first = given @ graph.constants["constant_0"].T
    assert np.array_equal(got["first"], first)
    assert np.array_equal(got["second"], np.maximum(first, 0) @ graph.constants["constant_1"])
    told: list[Node] = []
    run_graph(floats, graph, {"x": given}, told.append)
    assert [str(each) for each in told] == ["node 'first' (Gemm)", "node 'Relu_1' (Relu)", "node 'second' (MatMul)"]


def test_inputs_that_are_missing_or_no_arrays(integers: Accelerator) -> None:
    network, inputs = classifier(np.random.default_rng(35), False)
    before = integers.last
    refuses(lambda: integers.run(network, {}), "inputs must have 'x', got none")
    refuses(lambda: integers.run(network, {"y": 1}), "inputs must have 'x', got 'y'")
    refuses(lambda: integers.run(network, [1]), "inputs must be a mapping of names to arrays, got [1]")  # type: ignore[arg-type]
    refuses(lambda: integers.run(network, {"x": [[1], [2, 3]]}), "x must be a matrix, got [[1], [2, 3]]")
    assert integers.last is before
    refuses(lambda: integers.run(network, {"x": inputs["x"][:, :2]}), "node 'the_c' (QLinearConv): weight must")
