"""Reciprocal, square root and reciprocal square root."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal, signed

from tilewright.hdl.arith.functions import interpolation, rounding
from tilewright.hdl.arith.functions.fixed import Fixed
from tilewright.hdl.arith.functions.operand import Operand
from tilewright.hdl.arith.functions.unit import FunctionUnit
from tilewright.hdl.numeric.functions import OPERAND, Fraction
from tilewright.hdl.structure import data_register, pipeline


class FractionUnit(FunctionUnit):
    """A function whose table is that of one or two binades: the exponent of the result is computed.

    Latency: 1 cycle to find the place in the table, 2 to interpolate, 2 to round.
    """

    latency = 1 + interpolation.LATENCY + rounding.LATENCY

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        reduction = self.unit.reduction
        assert isinstance(reduction, Fraction)
        x = Operand.of(m, self.x, OPERAND)
        fixed, normal = Fixed(self.specials(x)), x.normal(m)
        top = Signal(signed(len(normal.exponent) + 1), name="top")
        place, exponent = normal.significand[:-1], normal.exponent
        if reduction.name != "reciprocal":
            place, exponent = Cat(place, exponent[0]), exponent >> 1
        # The value interpolated has its highest bit one place above 1.
        m.d.comb += top.eq(exponent + 1 if reduction.name == "sqrt" else -exponent)
        place = data_register(m, place, "place")
        top, negative, which = (
            pipeline(m, value, 1 + interpolation.LATENCY, name)
            for name, value in (("top", top), ("negative", x.negative), ("which", fixed.number(m)))
        )
        rest = len(place) - reduction.index_bits
        value, _ = interpolation.interpolate(m, platform, self.unit, f"{self.name}_table", place[rest:], place[:rest])
        m.d.comb += self.y.eq(
            rounding.round_float(m, self.out, fixed, which, negative, value, top, self._bounds(reduction), 2)
        )
        return m

    def _bounds(self, reduction: Fraction) -> tuple[int, int]:
        """The least and the greatest exponent of the value's highest bit."""
        low, high = OPERAND.last_place, OPERAND.emax
        match reduction.name:
            case "reciprocal":
                return -high, -low
            case "rsqrt":
                return -(high >> 1), -(low >> 1)
            case _:
                return (low >> 1) + 1, (high >> 1) + 1
