"""The one place that knows which multipliers a target has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

from amaranth.hdl import Module, Value

from tilewright.hdl.arith.targets.ecp5 import ecp5_products
from tilewright.hdl.arith.targets.factors import Factors
from tilewright.hdl.arith.targets.ice40 import ice40_products
from tilewright.hdl.arith.targets.inferred import inferred_products

Target = Literal["generic", "ecp5", "ice40"]
TARGETS: tuple[Target, ...] = get_args(Target)
PAIRS: frozenset[Target] = frozenset({"ice40"})
"""Those whose blocks form two products, so that neighbours share one."""

_PRODUCTS: dict[Target, Callable[[Module, Any, Factors, int], list[Value]]] = {
    "generic": inferred_products,
    "ecp5": ecp5_products,
    "ice40": ice40_products,
}


def products(m: Module, platform: Any, target: Target, factors: Factors, registers: int) -> list[Value]:
    """The products of the elements of ``factors``, in order, each a signed number of ``product_bits``.

    They come ``registers`` cycles (0..2) after their factors are in the operand registers. Registers have no reset. All
    products of a step are asked for together, so that a target may form two of them in one block.
    """
    return _PRODUCTS[target](m, platform, factors, registers)
