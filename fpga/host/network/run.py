"""Runs a graph, its products on the accelerator, all else in numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from tilewright.fpga.host.network.graph import Array, Graph, Node
from tilewright.fpga.host.network.plain import PLAIN
from tilewright.fpga.host.network.products import PRODUCTS, ProductOperator, check_product
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
    values: dict[str, Any] = {"": None, **graph.constants}
    values |= {name: as_array(name, inputs[name]) for name in graph.inputs}
    for node in graph.nodes:
        if told is not None:
            told(node)
        operands = [values[name] for name in node.inputs]
        try:
            if node.op in PLAIN:
                values[node.outputs[0]] = PLAIN[node.op].run(node, operands)
            else:
                values[node.outputs[0]] = PRODUCTS[node.op].run(accelerator, node, operands)
        except ConfigError as error:
            raise ConfigError(f"{node}: {error}") from None
        except _MISFITS as error:  # what numpy makes of shapes, types or axes that do not go together
            reason = " ".join(str(error).split())[:120]
            raise ConfigError(f"{node}: operands must fit together: {reason}") from None
    return {name: values[name] for name in graph.outputs}
