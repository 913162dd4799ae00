from __future__ import annotations

from typing import Any

import pytest

from tilewright.fpga.host.network.graph import GraphBuilder
from tilewright.fpga.host.network.riding import asked, riding

POOL: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}


@pytest.mark.parametrize(
    ("op", "followers", "rides"),
    [
        ("QLinearConv", [("Relu", {}), ("MaxPool", POOL)], {"activation": "relu", "pool": True}),
        ("QLinearConv", [("MaxPool", POOL), ("Relu", {})], {"pool": True}),
        ("QLinearConv", [("MaxPool", {**POOL, "pads": [0] * 4, "dilations": [1, 1]})], {"pool": True}),
        ("QLinearMatMul", [("Relu", {}), ("MaxPool", POOL)], {"activation": "relu"}),
        ("QLinearMatMul", [("MaxPool", POOL)], {}),
        ("QLinearConv", [("Flatten", {}), ("Relu", {})], {}),
        ("QLinearConv", [("MaxPool", {**POOL, "strides": [1, 1]})], {}),
        ("QLinearConv", [("MaxPool", {"kernel_shape": [2, 2]})], {}),
        ("QLinearConv", [("MaxPool", {**POOL, "kernel_shape": [2, 3]})], {}),
        ("QLinearConv", [("MaxPool", {**POOL, "pads": [0, 0, 1, 1]})], {}),
        ("QLinearConv", [("MaxPool", {**POOL, "dilations": [1, 2]})], {}),
        ("ConvInteger", [("Relu", {})], {}),
    ],
)
def test_what_rides_along(op: str, followers: list[tuple[str, dict[str, Any]]], rides: dict[str, Any]) -> None:
    build = GraphBuilder()
    last = first = build.add(op, build.input("x"))
    for follower, attributes in followers:
        last = build.add(follower, last, **attributes)
    assert asked(riding(build.graph(last)).get(first, [])) == rides


def test_what_others_ask_for_does_not_ride() -> None:
    build = GraphBuilder()
    first = build.add("QLinearConv", build.input("x"))
    second = build.add("Relu", first)
    third = build.add("MaxPool", second, **POOL)
    assert riding(build.graph(third, first)) == {}
    assert [node.op for node in riding(build.graph(third, second))[first]] == ["Relu"]
    build.add("Transpose", first)
    assert riding(build.graph(third)) == {}
