"""Runs a graph, its products on the accelerator, all else in numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tilewright.fpga.host.memory_map import NoRoom
from tilewright.fpga.host.network.graph import Array, Graph, Node
from tilewright.fpga.host.network.held import Held
from tilewright.fpga.host.network.plain import PLAIN
from tilewright.fpga.host.network.products import PRODUCTS, ProductOperator, check_product
from tilewright.fpga.host.network.riding import asked, riding
from tilewright.fpga.host.program import Program
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.errors import ConfigError, shown, unknown
from tilewright.generators.numbers import as_array

if TYPE_CHECKING:
    from tilewright.fpga.host.accelerator import Accelerator

Told = Callable[[Node], None]
_MISFITS = (ValueError, TypeError, IndexError, AttributeError, OverflowError)


def check_graph(graph: Graph, config: EngineConfig) -> None:
    """Raises ConfigError for the first node that the engine cannot run, by its name and operator.

    Of operands, constants are known.
    """
    for node in graph.nodes:
        if node.op not in PLAIN and node.op not in PRODUCTS:
            raise ConfigError(f"{node.name!r}: {unknown('operator', node.op, [*PLAIN, *PRODUCTS])}")
        operator = PRODUCTS.get(node.op) or PLAIN[node.op]
        if len(node.outputs) != 1:
            raise ConfigError(f"{node} must have one output, got {len(node.outputs)}")
        for name in node.attributes:
            if name not in operator.attributes:
                known = ", ".join(operator.attributes) or "none"
                raise ConfigError(f"{node} must have attributes that are known, {known}, got {name}")
        least, most = operator.inputs
        if not least <= len(node.inputs) <= most:
            raise ConfigError(f"{node} must have {least} to {most} inputs, got {len(node.inputs)}")
        operator.check(node)
        if isinstance(operator, ProductOperator):
            try:
                check_product(operator, config, [graph.constants.get(name) for name in node.inputs])
            except ConfigError as error:
                raise ConfigError(f"{node}: {error}") from None


def run_graph(
    accelerator: Accelerator, graph: Graph, inputs: Mapping[str, ArrayLike], told: Told | None = None
) -> dict[str, Array]:
    """The outputs of ``graph``, by name. ``told`` hears of each node before it runs.

    Raises ConfigError, before anything runs where it can be known: an input that is missing, a node that is not known.
    """
    check_graph(graph, accelerator.config)
    if not isinstance(inputs, Mapping):
        raise ConfigError(
            f"inputs must be a mapping of names to arrays, got {shown(inputs)}; nearest legal value is {{}}"
        )
    for name in graph.inputs:
        if name not in inputs:
            raise ConfigError(f"inputs must have {name!r}, got {', '.join(map(repr, inputs)) or 'none'}")
    for name in inputs:
        if name not in graph.inputs:
            raise ConfigError(unknown("input", name, graph.inputs))
    values: dict[str, Any] = {"": None, **graph.constants}
    values |= {name: as_array(name, inputs[name]) for name in graph.inputs}
    with accelerator.joined_program() as program:
        Walk(accelerator, program, graph, values).run(told)
        return {name: np.asarray(values[name]) for name in graph.outputs}


class Walk:
    """A walk through ``graph`` that leaves in ``values`` what each node gives."""

    def __init__(self, accelerator: Accelerator, program: Program, graph: Graph, values: dict[str, Any]) -> None:
        self.accelerator, self.program, self.graph, self.values = accelerator, program, graph, values
        self.riders = riding(graph)

    def run(self, told: Told | None) -> None:
        """Node by node. Raises ConfigError, RunFailed."""
        for node in self.graph.nodes:
            if told is not None:
                told(node)
            if node.outputs[0] in self.values:
                continue  # it has ridden along
            try:
                self._node(node)
            except ConfigError as error:
                raise ConfigError(f"{node}: {error}") from None
            except _MISFITS as error:  # what numpy makes of shapes, types or axes that do not go together
                reason = " ".join(str(error).split())[:120]
                raise ConfigError(f"{node}: operands must fit together: {reason}") from None

    def _node(self, node: Node) -> None:
        operands = [self.values[name] for name in node.inputs]
        if node.op in PLAIN:
            self.values[node.outputs[0]] = _plain(node, operands)
            return
        try:
            self._product(node, operands)
        except NoRoom:
            if not self.program.restart():
                raise
            self._product(node, operands)

    def _product(self, node: Node, operands: Sequence[Any]) -> None:
        """A product, and what rides along where the engine can do it."""
        operands = [operands[0], *(None if each is None else np.asarray(each) for each in operands[1:])]
        run, riders = PRODUCTS[node.op].run, self.riders.get(node.outputs[0], [])
        if riders:
            try:
                found = run(self.accelerator, node, operands, **asked(riders))
            except NoRoom:
                raise
            except ConfigError:  # too wide a picture, for example: numpy does it
                pass
            else:
                self.values |= {rider.outputs[0]: found for rider in riders}
                return
        self.values[node.outputs[0]] = run(self.accelerator, node, operands)


def _plain(node: Node, operands: Sequence[Any]) -> Any:
    """The result of an operator that is no product; one that only changes a shape leaves values where they lie."""
    run = PLAIN[node.op].run
    if node.op in ("Flatten", "Reshape") and isinstance(operands[0], Held):
        like = np.broadcast_to(np.zeros((), np.int8), operands[0].shape)
        reshaped = operands[0].reshaped(run(node, [like, *map(np.asarray, operands[1:])]).shape)
        if reshaped is not None:
            return reshaped
    return run(node, [None if each is None else np.asarray(each) for each in operands])
