"""A network: operators with the meaning that ONNX gives them, in the order in which they can run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.generators.config.errors import ConfigError

Array = NDArray[Any]


@dataclass(frozen=True)
class Node:
    """An operator between named values; an input that is left out is ""."""

    name: str
    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"node {self.name!r} ({self.op})"


@dataclass(frozen=True)
class Graph:
    """Nodes in order, the values that come from outside, those that are asked for, and constants by name."""

    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    constants: Mapping[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {"", *self.inputs, *self.constants}
        for node in self.nodes:
            for name in node.inputs:
                if name not in known:
                    raise ConfigError(f"{node} must use values that are there before it, got {name!r}")
            for name in node.outputs:
                if name in known and name:
                    raise ConfigError(f"{node} must give values that are not there before it, got {name!r}")
            known.update(node.outputs)
        for name in self.outputs:
            if name not in known:
                raise ConfigError(f"outputs must be values of the graph, got {name!r}")


class GraphBuilder:
    """Builds a graph call by call; values are known by their names."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._inputs: list[str] = []
        self._constants: dict[str, Array] = {}

    def input(self, name: str) -> str:
        """A value from outside."""
        self._inputs.append(name)
        return name

    def constant(self, values: ArrayLike, name: str = "") -> str:
        """A value that is always the same."""
        name = name or f"constant_{len(self._constants)}"
        self._constants[name] = np.asarray(values)
        return name

    def add(self, op: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """An operator with one result, whose name is returned."""
        name = name or f"{op}_{len(self._nodes)}"
        self._nodes.append(Node(name, op, inputs, (name,), attributes))
        return name

    def graph(self, *outputs: str) -> Graph:
        """The graph that gives ``outputs``."""
        return Graph(tuple(self._nodes), tuple(self._inputs), outputs, dict(self._constants))
