from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from tilewright.fpga.host.network import read_onnx
from tilewright.sim_tests.fpga.host.engines import refuses
from tilewright.sim_tests.fpga.host.network.models import model, node

X = np.ones((2, 3), np.float32)
NETWORK = model([node("Relu", ["x"], "h"), node("Add", ["h", "c"], "y")], {"x": X}, {"c": X}, "y")


def test_a_model_as_file_path_bytes_or_object(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    onnx.save(NETWORK, path)
    for source in (path, str(path), path.read_bytes(), NETWORK):
        graph = read_onnx(source)
        assert [(each.name, each.op, each.inputs, each.outputs) for each in graph.nodes] == [
            ("the_h", "Relu", ("x",), ("h",)),
            ("the_y", "Add", ("h", "c"), ("y",)),
        ]
        assert (graph.inputs, graph.outputs) == (("x",), ("y",))
        assert np.array_equal(graph.constants["c"], X)


def test_constants_and_nodes_without_names() -> None:
    network = onnx.ModelProto()
    network.CopyFrom(NETWORK)
    network.graph.ClearField("initializer")
    made = node("Constant", [], "c", value=onnx.numpy_helper.from_array(X))
    made.name = ""
    network.graph.node.insert(0, made)
    network.graph.node[1].name = ""
    graph = read_onnx(network)
    assert graph.nodes[0].name == "Relu_1"
    assert np.array_equal(graph.constants["c"], X)


def test_operators_of_another_domain_keep_it() -> None:
    network = onnx.ModelProto()
    network.CopyFrom(NETWORK)
    network.graph.node[0].domain = "com.example"
    assert read_onnx(network).nodes[0].op == "com.example.Relu"


def test_what_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no model at all", encoding="utf-8")
    refuses(lambda: read_onnx(tmp_path / "none"), "which is none")
    refuses(lambda: read_onnx(tmp_path), "model must be a file, got")
    sources: list[Any] = [b"abc", None, 3, {}, tmp_path / "text"]
    for source in sources:
        refuses(lambda source=source: read_onnx(source), "model must be an ONNX model, which this is not: ")  # type: ignore[misc]


def test_without_onnx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    refuses(lambda: read_onnx(b""), "onnx must be installed to read a model: pip install 'tilewright[onnx]'")
