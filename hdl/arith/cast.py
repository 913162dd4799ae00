"""Conversion between float formats as a block."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.float_cuts import SINGLE, Cuts
from tilewright.hdl.arith.float_round import Beyond, float_round
from tilewright.hdl.arith.float_unit import check_latency
from tilewright.hdl.arith.float_unrounded import unrounded
from tilewright.hdl.arith.unpacked import unpack
from tilewright.hdl.numeric import FloatFormat
from tilewright.hdl.structure import Block


class FloatCast(Block):
    """``result`` is the code of ``target`` nearest to ``code`` of ``source``: ties to even, NaN the one of ``target``.

    What rounds beyond the largest finite number, and infinity: "ieee": infinity of its sign, NaN in a format without;
    "saturate": the largest finite number of its sign. Latency: ``latency`` cycles, at least 0; one code a cycle;
    registers have no reset. Raises ValueError for a negative ``latency``.

    Members
    -------
    code: code of ``source``
    result: code of ``target``
    """

    def __init__(
        self, source: FloatFormat, target: FloatFormat, *, overflow: Beyond = "ieee", latency: int = 0
    ) -> None:
        check_latency(latency)
        self.source, self.target, self.overflow, self.latency = source, target, overflow, latency
        members = {"code": In(unsigned(source.width)), "result": Out(unsigned(target.width))}
        super().__init__(f"cast_{source}_{target}{'_sat' if overflow == 'saturate' else ''}_l{latency}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        source, target, cuts = self.source, self.target, Cuts(m, self.latency, SINGLE)
        # Subnormal numbers that are so in the target, too, only lose bits.
        number = unpack(m, self.code, source, "code", normalise=source.emin > target.emin)
        fits = source.largest <= target.largest
        m.d.comb += self.result.eq(
            float_round(m, unrounded(number, cuts, "add", kept=fits), target, cuts, self.overflow)
        )
        return m
