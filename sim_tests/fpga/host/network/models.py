"""Small ONNX models, and what the reference evaluator of ONNX makes of them.

onnx is imported without a condition: a machine without it must fail these tests, not skip them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from tilewright.fpga.host.accelerator import Accelerator

Arrays = Mapping[str, Any]
OPSET = 21
_TYPES = {
    "float32": TensorProto.FLOAT,
    "float16": TensorProto.FLOAT16,
    "float64": TensorProto.DOUBLE,
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
}


def node(op: str, inputs: Sequence[str], output: str, **attributes: Any) -> NodeProto:
    """A node with one output, after which it is named."""
    return helper.make_node(op, list(inputs), [output], name=f"the_{output}", **attributes)


def model(nodes: Sequence[NodeProto], inputs: Arrays, constants: Arrays, output: str, opset: int = OPSET) -> ModelProto:
    """A model whose inputs have the types of the arrays ``inputs``."""
    graph = helper.make_graph(
        list(nodes),
        "graph",
        [helper.make_tensor_value_info(name, _TYPES[np.asarray(x).dtype.name], None) for name, x in inputs.items()],
        [helper.make_tensor_value_info(output, TensorProto.UNDEFINED, None)],
        [numpy_helper.from_array(np.asarray(values), name) for name, values in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def one(op: str, operands: Arrays, opset: int = OPSET, **attributes: Any) -> tuple[ModelProto, Arrays]:
    """A model of one operator: its first operand is the input, all others are constants; None is left out."""
    first, x = next(iter(operands.items()))
    others = list(operands.items())[1:]
    names = [name if values is not None else "" for name, values in operands.items()]
    constants = {name: values for name, values in others if values is not None}
    return model([node(op, names, "y", **attributes)], {first: x}, constants, "y", opset), {first: x}


def expected(network: ModelProto, inputs: Arrays) -> Any:
    """What the reference evaluator says."""
    with np.errstate(all="ignore"):
        found: Any = ReferenceEvaluator(network).run(None, dict(inputs))
    return found[0]


def agrees(accelerator: Accelerator, network: ModelProto, inputs: Arrays) -> Any:
    """The accelerator's output, which must be that of the reference evaluator: value by value, shape and type."""
    want = expected(network, inputs)
    (got,) = accelerator.run(network, inputs).values()
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    assert np.array_equal(got, want, equal_nan=want.dtype.kind == "f")
    return got
