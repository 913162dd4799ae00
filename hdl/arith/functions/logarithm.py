"""The binary logarithm."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, signed, unsigned

from tilewright.hdl.arith.functions import interpolation, rounding
from tilewright.hdl.arith.functions.fixed import Fixed
from tilewright.hdl.arith.functions.operand import Operand
from tilewright.hdl.arith.functions.unit import FunctionUnit
from tilewright.hdl.numeric.functions import OPERAND, Logarithm
from tilewright.hdl.structure import data_register, named, pipeline


class LogarithmUnit(FunctionUnit):
    """log2: the exponent of the operand plus the logarithm of its significand.

    Latency: 1 cycle to find the place in the table, 2 to interpolate, 1 to add, 2 to round.
    """

    latency = 1 + interpolation.LATENCY + 1 + rounding.LATENCY

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        reduction = self.unit.reduction
        assert isinstance(reduction, Logarithm)
        x = Operand.of(m, self.x, OPERAND)
        normal = x.normal(m)
        cases = self.specials(x)
        # The only 0: it has no leading one.
        cases["one"] = self.x == OPERAND.bias << OPERAND.fraction_bits, self.code(0.0)
        fixed = Fixed(cases)
        below = named(m, normal.exponent < 0, "below_one")
        whole = Signal(unsigned(OPERAND.exponent_bits), name="whole")
        m.d.comb += whole.eq(Mux(below, -normal.exponent, normal.exponent))
        place = data_register(m, normal.significand[:-1], "place")
        whole, below, which = (
            pipeline(m, value, 1 + interpolation.LATENCY, name)
            for name, value in (("whole", whole), ("below", below), ("which", fixed.number(m)))
        )
        rest = len(place) - reduction.index_bits
        value, _ = interpolation.interpolate(m, platform, self.unit, f"{self.name}_table", place[rest:], place[:rest])
        magnitude = Signal(unsigned(len(whole) + reduction.point), name="magnitude")
        base = named(m, whole << reduction.point, "base")
        m.d.comb += magnitude.eq(Mux(below, base - value, base + value))
        magnitude, below, which = (
            data_register(m, value, name)
            for name, value in (("sum", magnitude), ("sum_below", below), ("sum_which", which))
        )
        # The smallest result is that of the number before 1: more than 2**-(fraction bits + 1).
        top, positions = OPERAND.exponent_bits - 1, OPERAND.exponent_bits + OPERAND.fraction_bits + 1
        exponent = Const(top, signed(OPERAND.exponent_bits))
        m.d.comb += self.y.eq(
            rounding.round_float(m, self.out, fixed, which, below, magnitude, exponent, (top, top), positions)
        )
        return m
