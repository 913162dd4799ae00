"""Addition of floats as a block."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module

from tilewright.hdl.arith.float_cuts import Cuts
from tilewright.hdl.arith.float_round import Beyond, float_round
from tilewright.hdl.arith.float_sum import float_sum
from tilewright.hdl.arith.float_unit import FloatUnit
from tilewright.hdl.arith.unpacked import unpack
from tilewright.hdl.numeric import FloatFormat


class FloatAdd(FloatUnit):
    """``result`` is ``a + b``, rounded once; see ``FloatUnit``."""

    def __init__(
        self, a: FloatFormat, b: FloatFormat, out: FloatFormat, *, overflow: Beyond = "ieee", latency: int = 0
    ) -> None:
        super().__init__("add", (a, b), out, overflow, latency)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        cuts = Cuts(m, self.latency)
        a, b = (
            unpack(m, code, fmt, name, normalise=fmt.emin > self.out.emin)
            for code, fmt, name in zip((self.a, self.b), self.formats, "ab", strict=True)
        )
        m.d.comb += self.result.eq(float_round(m, float_sum(m, a, b, self.out, cuts), self.out, cuts, self.overflow))
        return m
