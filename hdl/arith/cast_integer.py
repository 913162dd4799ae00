"""Conversions between floats and integers as blocks."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.float_cuts import SINGLE, Cuts
from tilewright.hdl.arith.float_round import Beyond, float_round
from tilewright.hdl.arith.float_shift import shift_right
from tilewright.hdl.arith.float_unit import check_latency
from tilewright.hdl.arith.float_unrounded import Unrounded
from tilewright.hdl.arith.unpacked import exponent_signal, unpack
from tilewright.hdl.numeric import FloatFormat, IntFormat
from tilewright.hdl.structure import Block, named


class IntegerToFloat(Block):
    """``result`` is the code of ``target`` nearest to ``value`` of ``source``: ties to even, 0 becomes +0.

    Latency and ``overflow`` as in ``FloatCast``.

    Members
    -------
    value: integer of ``source``
    result: code of ``target``
    """

    def __init__(self, source: IntFormat, target: FloatFormat, *, overflow: Beyond = "ieee", latency: int = 0) -> None:
        check_latency(latency)
        self.source, self.target, self.overflow, self.latency = source, target, overflow, latency
        value = signed(source.width) if source.signed else unsigned(source.width)
        members = {"value": In(value), "result": Out(unsigned(target.width))}
        super().__init__(f"cast_{source}_{target}{'_sat' if overflow == 'saturate' else ''}_l{latency}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        source, cuts = self.source, Cuts(m, self.latency, SINGLE)
        value = cuts("add", self.value.as_unsigned() if source.signed else self.value, "value")
        negative = value[-1] if source.signed else Const(0, 1)
        exponent = source.width - 1
        number = Unrounded(
            sign=negative,
            zero_sign=Const(0, 1),
            exponent=Const(exponent, signed(exponent.bit_length() + 1)),
            bits=Cat(Const(0, 1), value),  # with a bit below, the complement of -1 is not 0
            negative=negative,
            nan=Const(0, 1),
            infinite=Const(0, 1),
            kept=Const(int(max(source.max, -source.min) <= self.target.largest), 1),
            low=exponent,
            high=exponent,
            slack=source.width,
        )
        m.d.comb += self.result.eq(float_round(m, number, self.target, cuts, self.overflow))
        return m


class FloatToInteger(Block):
    """``result`` is the integer of ``target`` nearest to ``code`` of ``source``, ties to even.

    What lies outside, infinity included, becomes the nearest integer of ``target``; NaN becomes 0. Latency as in
    ``FloatCast``.

    Members
    -------
    code: code of ``source``
    result: integer of ``target``
    """

    def __init__(self, source: FloatFormat, target: IntFormat, *, latency: int = 0) -> None:
        check_latency(latency)
        self.source, self.target, self.latency = source, target, latency
        value = signed(target.width) if target.signed else unsigned(target.width)
        super().__init__(
            f"cast_{source}_{target}_l{latency}", {"code": In(unsigned(source.width)), "result": Out(value)}
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        source, width, cuts = self.source, self.target.width, Cuts(m, self.latency, SINGLE)
        number = unpack(m, self.code, source, "code", normalise=False)
        number = number.map(lambda value, field: cuts("add", value, field))
        # The top bit weighs 2**width: above, everything is outside. At least one bit is below the one that weighs 1.
        behind = max(width + 2 - len(number.significand), 0)
        bits = Cat(Const(0, behind), number.significand)
        above = exponent_signal(-max(number.high - width, 0), width - number.low, "above")
        m.d.comb += above.eq(width + number.bias - number.exponent)
        outside = cuts("count", named(m, above[-1] | number.infinite, "outside"), "outside")
        nan, sign = cuts("count", number.nan, "nan"), cuts("count", number.sign, "sign")
        bits, above = cuts("count", bits, "bits", zeros=behind), cuts("count", above[:-1], "above")
        shifted, fallen = shift_right(m, bits, above, "bits")
        whole = shifted[-width - 1 :]
        below = shifted[: -width - 1]
        up = below[-1] & (whole[0] | below[:-1].any() | fallen)
        whole, up = cuts("shift", named(m, whole, "whole"), "whole"), cuts("shift", named(m, up, "up"), "up")
        nan, sign, outside = cuts("shift", nan, "nan"), cuts("shift", sign, "sign"), cuts("shift", outside, "outside")

        size = Signal(width + 2, name="size")
        m.d.comb += size.eq(whole + up)
        least, most = self.target.min, self.target.max
        low = Mux(outside | (size > -least), least, (-size)[:width])
        high = Mux(outside | (size > most), most, size[:width])
        result = Mux(nan, 0, Mux(sign, low, high))
        m.d.comb += self.result.eq(cuts("round", named(m, result[:width], "result_bits"), "result"))
        return m
