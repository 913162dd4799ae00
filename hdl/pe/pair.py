"""Two processing elements side by side that share a block of their target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from amaranth.hdl import Module, Value

from tilewright.hdl.arith import before_sum
from tilewright.hdl.arith.targets import Factors, products
from tilewright.hdl.pe.element import Element
from tilewright.hdl.pe.integer_operands import PairedIntegers
from tilewright.hdl.pe.operands import Operands
from tilewright.hdl.structure import Block, Registered, Repeat, place


class ElementPair(Block):
    """``element`` twice in a row, and the block that forms the products of both; ports of a `Repeat` of the two."""

    def __init__(self, element: Element) -> None:
        assert isinstance(element.operands, PairedIntegers)
        self.operands = element.operands
        shared = tuple(self.operands.constants)
        self.elements = Repeat(
            f"two_{element.name}", element, 2, label="pe", chain=element.eastward, shared=shared,
        )  # fmt: skip
        pins = self.operands.pins
        super().__init__(
            f"pair_{element.name}",
            {name: member for name, member in self.elements.signature.members.items() if name not in pins},
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        o, two = self.operands, self.elements
        m.submodules.elements = place(platform, two)
        for name, member in self.signature.members.items():
            inner, outer = getattr(two, name), getattr(self, name)
            m.d.comb += inner.eq(outer) if member.flow.name == "In" else outer.eq(inner)
        x, y = Value.cast(two.factor_x), Value.cast(two.factor_y)
        # What blocks of pairs take: x on its way into its register, y in it.
        factors = Factors(Registered(x, x), Registered(y, y), o.x, o.y, 2)
        for half, product in enumerate(products(m, platform, o.target, factors, before_sum(o.pipeline))):
            m.d.comb += two.product[half * o.product_bits : (half + 1) * o.product_bits].eq(product)
        return m


def in_row(element: Element, count: int) -> tuple[Block, int]:
    """What a row of ``count`` elements is made of, and how often: pairs where neighbours share what multiplies."""
    operands = element.operands.pair
    if operands is None or count % 2:
        return element, count
    of_kind = cast(Callable[[Operands], Element], type(element))
    return ElementPair(of_kind(operands)), count // 2
