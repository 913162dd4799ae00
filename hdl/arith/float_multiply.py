"""Multiplication of floats as a block."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module

from tilewright.hdl.arith.float_cuts import SINGLE, Cuts
from tilewright.hdl.arith.float_product import float_product
from tilewright.hdl.arith.float_round import Beyond, float_round
from tilewright.hdl.arith.float_unit import FloatUnit
from tilewright.hdl.arith.float_unrounded import unrounded
from tilewright.hdl.arith.unpacked import unpack
from tilewright.hdl.numeric import FloatFormat


class FloatMultiply(FloatUnit):
    """``result`` is ``a * b``, rounded once; see ``FloatUnit``. The first register follows the multiplier."""

    def __init__(
        self, a: FloatFormat, b: FloatFormat, out: FloatFormat, *, overflow: Beyond = "ieee", latency: int = 0
    ) -> None:
        super().__init__("multiply", (a, b), out, overflow, latency)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        cuts = Cuts(m, self.latency, SINGLE)
        a, b = unpack(m, self.a, self.formats[0], "a"), unpack(m, self.b, self.formats[1], "b")
        product = unrounded(float_product(m, a, b, "product"), cuts, "add")
        m.d.comb += self.result.eq(float_round(m, product, self.out, cuts, self.overflow))
        return m
