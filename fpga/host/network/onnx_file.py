"""ONNX models as graphs."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from tilewright.fpga.host.network.graph import Graph, Node
from tilewright.generators.config.errors import ConfigError


def read_onnx(model: str | os.PathLike[str] | bytes | Any) -> Graph:
    """The graph of an ONNX model: a file, its bytes, or a ``ModelProto``. Needs the extra ``[onnx]``.

    Raises ConfigError where the model cannot be read, or onnx is not installed.
    """
    try:
        onnx = import_module("onnx")
    except ImportError:
        raise ConfigError("onnx must be installed to read a model: pip install 'tilewright[onnx]'") from None
    if isinstance(model, str | os.PathLike):
        path = os.fspath(model)
        if not Path(path).is_file():
            raise ConfigError(f"model must be a file, got {path!r}, which is none")
    try:
        if isinstance(model, bytes):
            proto = onnx.load_model_from_string(model)
        elif isinstance(model, str | os.PathLike):
            proto = onnx.load(os.fspath(model))
        else:
            proto = model
        constants = {each.name: onnx.numpy_helper.to_array(each) for each in proto.graph.initializer}
        nodes = []
        for index, each in enumerate(proto.graph.node):
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in each.attribute}
            if each.op_type == "Constant" and "value" in attributes:
                constants[each.output[0]] = onnx.numpy_helper.to_array(attributes["value"])
                continue
            name = each.name or f"{each.op_type}_{index}"
            op = f"{each.domain}.{each.op_type}" if each.domain not in ("", "ai.onnx") else each.op_type
            nodes.append(Node(name, op, tuple(each.input), tuple(each.output), attributes))
        inputs = tuple(each.name for each in proto.graph.input if each.name not in constants)
        outputs = tuple(each.name for each in proto.graph.output)
    except ConfigError:
        raise
    except Exception as error:  # whatever a file that is no model makes of the reader
        reason = " ".join(str(error).split())[:120]
        raise ConfigError(f"model must be an ONNX model, which this is not: {reason}") from None
    if not outputs:
        raise ConfigError("model must be an ONNX model, which this is not: it has no outputs")
    return Graph(tuple(nodes), inputs, outputs, constants)
