"""Operators that a product's finish path does on the way."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tilewright.fpga.host.network.graph import Graph, Node

_QUANTISED = ("QLinearConv", "QLinearMatMul")


def riding(graph: Graph) -> dict[str, list[Node]]:
    """For a product, by the name of its result, the operators that follow it and that nobody else follows.

    They are Relu, and then 2 x 2 max-pooling in steps of 2, each at most once.
    """
    used = Counter([name for node in graph.nodes for name in node.inputs] + list(graph.outputs))
    by_input = {node.inputs[0]: node for node in graph.nodes if node.inputs and used[node.inputs[0]] == 1}
    found = {}
    for node in graph.nodes:
        if node.op not in _QUANTISED:
            continue
        riders: list[Node] = []
        for fits in (_is_relu, _is_pool):
            last = riders[-1] if riders else node
            follower = by_input.get(last.outputs[0])
            if follower is not None and fits(follower) and (node.op == "QLinearConv" or fits is _is_relu):
                riders.append(follower)
        if riders:
            found[node.outputs[0]] = riders
    return found


def asked(riders: list[Node]) -> dict[str, Any]:
    """The arguments of a product that ask for ``riders``."""
    ways: dict[str, dict[str, Any]] = {"Relu": {"activation": "relu"}, "MaxPool": {"pool": True}}
    return {name: value for node in riders for name, value in ways[node.op].items()}


def _is_relu(node: Node) -> bool:
    return node.op == "Relu"


def _is_pool(node: Node) -> bool:
    given = node.attributes
    return (
        node.op == "MaxPool"
        and list(given["kernel_shape"]) == [2, 2]
        and list(given.get("strides", ())) == [2, 2]
        and not any(given.get("pads", ()))
        and all(step == 1 for step in given.get("dilations", ()))
    )
