from __future__ import annotations

import numpy as np

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.network import Graph, GraphBuilder, Node
from tilewright.sim_tests.fpga.host.engines import refuses


def test_values_are_there_before_they_are_used() -> None:
    relu = Node("r", "Relu", ("x",), ("y",))
    refuses(lambda: Graph((relu,), (), ("y",)), "node 'r' (Relu) must use values that are there before it, got 'x'")
    refuses(lambda: Graph((relu,), ("x",), ("z",)), "outputs must be values of the graph, got 'z'")
    refuses(lambda: Graph((relu, relu), ("x",), ("y",)), "must give values that are not there before it, got 'y'")
    assert Graph((relu,), ("x",), ("y",)).constants == {}


def test_the_builder_names_what_has_no_name() -> None:
    build = GraphBuilder()
    x = build.input("x")
    first, second = build.constant([1, 2]), build.constant(np.float32(3), "three")
    y = build.add("Add", x, first)
    z = build.add("Add", y, second, name="sum")
    graph = build.graph(z)
    assert (first, second, y, z) == ("constant_0", "three", "Add_0", "sum")
    assert [str(node) for node in graph.nodes] == ["node 'Add_0' (Add)", "node 'sum' (Add)"]
    assert graph.constants["three"].dtype == np.float32


def test_a_node_of_two_outputs(integers: Accelerator) -> None:
    graph = Graph((Node("r", "Relu", ("x",), ("y", "z")),), ("x",), ("y",))
    refuses(lambda: integers.run(graph, {"x": [1]}), "node 'r' (Relu) must have one output, got 2")
    graph = Graph((Node("r", "Relu", ("x",), ("y",), {"slope": 1}),), ("x",), ("y",))
    refuses(lambda: integers.run(graph, {"x": [1]}), "must have attributes that are known, none, got slope")
