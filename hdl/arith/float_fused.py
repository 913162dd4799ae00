"""The fused multiply-add of floats as a block."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module

from tilewright.hdl.arith.float_cuts import Cuts
from tilewright.hdl.arith.float_product import float_product
from tilewright.hdl.arith.float_round import Beyond, float_round
from tilewright.hdl.arith.float_sum import float_sum
from tilewright.hdl.arith.float_unit import FloatUnit
from tilewright.hdl.arith.unpacked import unpack
from tilewright.hdl.numeric import FloatFormat


class FusedMultiplyAdd(FloatUnit):
    """``result`` is ``a * b + c``, the product exact and all rounded once; see ``FloatUnit``.

    The accumulating add of processing elements, ``float_accumulate``, does the same into fp32 with less logic.
    """

    def __init__(
        self,
        a: FloatFormat,
        b: FloatFormat,
        c: FloatFormat,
        out: FloatFormat,
        *,
        overflow: Beyond = "ieee",
        latency: int = 0,
    ) -> None:
        super().__init__("fma", (a, b, c), out, overflow, latency)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        cuts = Cuts(m, self.latency)
        a, b = unpack(m, self.a, self.formats[0], "a"), unpack(m, self.b, self.formats[1], "b")
        c = unpack(m, self.c, self.formats[2], "c", normalise=self.formats[2].emin > self.out.emin)
        total = float_sum(m, float_product(m, a, b, "product"), c, self.out, cuts)
        m.d.comb += self.result.eq(float_round(m, total, self.out, cuts, self.overflow))
        return m
