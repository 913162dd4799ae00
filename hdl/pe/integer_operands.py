"""Integers: exact dot products, into accumulators that wrap or saturate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from amaranth.hdl import Module, Shape, Value, signed, unsigned
from amaranth.lib.wiring import In, Member, Out

from tilewright.hdl.arith import Overflow, accumulate, dot, summed
from tilewright.hdl.arith.targets import PAIRS, Factors, Target, add_selected
from tilewright.hdl.numeric import IntFormat, dot_bits
from tilewright.hdl.pe.operands import Operands
from tilewright.hdl.structure import Registered, masked


@dataclass(frozen=True)
class IntegerOperands(Operands):
    """Integers; a value that does not exist is 0. See `dot` and `accumulate`.

    Parameters
    ----------
    acc_width: int
        Bits of the (signed) sums that travel north to south.
    overflow: "wrap" or "saturate"
    dot_width: int
        Bits that hold every dot product that occurs; fewer than ``x`` and ``y`` could make where both are common
        formats of narrower operands. 0 stands for what ``x`` and ``y`` need.
    target: Target
        Whose multipliers form the products; see `products`.
    """

    x: IntFormat
    y: IntFormat
    acc_width: int
    overflow: Overflow
    dot_width: int = 0
    target: Target = "generic"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.acc_width < self.dot_bits:
            raise ValueError(f"acc_width must hold one dot product of {self.dot_bits} bits, got {self.acc_width}")

    @property
    def dot_bits(self) -> int:
        """Bits that hold every dot product that occurs."""
        return self.dot_width or dot_bits(self.x, self.y, self.vector)

    @property
    def sum_shape(self) -> Shape:
        return signed(self.acc_width)

    @property
    def wraps(self) -> bool:
        return self.overflow == "wrap"

    @property
    def masks_y(self) -> bool:
        return True

    def x_words(self, values: Value, exists: Value) -> Value:
        return masked(values, exists, self.x.width)

    def y_words(self, values: Value, exists: Value) -> Value:
        return masked(values, exists, self.y.width)

    def term(self, m: Module, platform: Any, x: Registered, y: Registered, ports: Mapping[str, Value]) -> Value:
        factors = Factors(x, y, self.x, self.y, self.vector)
        return dot(m, factors, self.pipeline, self.dot_bits, target=self.target, platform=platform)

    @property
    def pair(self) -> Operands | None:
        if self.target not in PAIRS or self.vector > 1:
            return None
        return PairedIntegers(**{field.name: getattr(self, field.name) for field in fields(self)})

    def add(self, m: Module, start: Value, term: Value) -> Value:
        return accumulate(m, start, term, self.acc_width, self.overflow)

    def add_selected(
        self, m: Module, platform: Any, select: Value, selected: Value, otherwise: Value, term: Value
    ) -> Value:
        if not self.wraps:
            return super().add_selected(m, platform, select, selected, otherwise, term)
        return add_selected(m, platform, self.target, select, selected, otherwise, term)

    def __str__(self) -> str:
        vector = f"_v{self.vector}" if self.vector > 1 else ""
        overflow = "_sat" if self.overflow == "saturate" else ""
        dot = f"_dot{self.dot_width}" if self.dot_width else ""
        target = f"_{self.target}" if self.target != "generic" else ""
        return f"{self.x}_{self.y}{vector}{dot}_acc{self.acc_width}{overflow}_p{self.pipeline}{target}"


@dataclass(frozen=True)
class PairedIntegers(IntegerOperands):
    """Of one of two neighbours that share a block of their target: its product is formed outside of the element.

    Pins: ``factor_x``, on its way into its register, and ``factor_y`` go out; ``product`` comes in, `before_sum` of the
    registers later.
    """

    @property
    def pins(self) -> Mapping[str, Member]:
        x, y = unsigned(self.x_width), unsigned(self.y_width)
        return {"factor_x": Out(x), "factor_y": Out(y), "product": In(signed(self.product_bits))}

    @property
    def product_bits(self) -> int:
        """Bits of a product."""
        return dot_bits(self.x, self.y, 1)

    @property
    def pair(self) -> Operands | None:
        return None

    def term(self, m: Module, platform: Any, x: Registered, y: Registered, ports: Mapping[str, Value]) -> Value:
        m.d.comb += [ports["factor_x"].eq(x.source), ports["factor_y"].eq(y.value)]
        return summed(m, [ports["product"]], self.pipeline, self.dot_bits)

    def __str__(self) -> str:
        return f"{super().__str__()}_paired"
