"""The hyperbolic tangent and gelu."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, signed, unsigned
from amaranth.utils import bits_for

from tilewright.hdl.arith.functions import interpolation, rounding
from tilewright.hdl.arith.functions.fixed import Fixed
from tilewright.hdl.arith.functions.operand import Operand
from tilewright.hdl.arith.functions.unit import FunctionUnit
from tilewright.hdl.numeric.functions import GUARD, OPERAND, Binades
from tilewright.hdl.structure import data_register, named, pipeline


class BinadesUnit(FunctionUnit):
    """A function with segments of its own for each binade of the operand, and lines at 0 and far from it.

    Latency: 1 cycle to find the place in the table, 2 to interpolate, 2 to round.
    """

    latency = 1 + interpolation.LATENCY + rounding.LATENCY

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        reduction = self.unit.reduction
        assert isinstance(reduction, Binades)
        x = Operand.of(m, self.x, OPERAND)
        near, far = (self._outside(m, reduction, x, end) for end in ("near", "far"))
        cases = self.specials(x)
        plus, minus = self.unit.function.at_infinity
        cases = {"far_minus": (far & x.negative, self.code(minus)), **cases}
        if reduction.odd:
            cases = {"far_plus": (far & ~x.negative, self.code(plus)), **cases}
        fixed = Fixed(cases)
        index, offset = self._place(m, reduction, x)
        value, number = interpolation.interpolate(
            m, platform, self.unit, f"{self.name}_table", index, data_register(m, offset, "place")
        )
        delay = 1 + interpolation.LATENCY
        near, far, negative, significand, exponent, which = (
            pipeline(m, value, delay, name)
            for name, value in (
                ("near", near),
                ("far", far),
                ("negative", x.negative),
                ("significand", x.significand),
                ("exponent", x.exponent),
                ("which", fixed.number(m)),
            )
        )
        # Beside x or x/2, on the side of it where the function is; far from 0 the function is x to any digit.
        above = named(m, (significand << GUARD) + 1, "above")
        below = named(m, (significand << GUARD) - 1, "below")
        line = Signal(unsigned(reduction.point + 2), name="line")
        beside = below if reduction.odd else Mux(far, significand << GUARD, Mux(negative, below, above))
        m.d.comb += line.eq(beside << (reduction.point - GUARD - OPERAND.fraction_bits))
        # The highest bit of either is one place above 1.
        segment = data_register(m, number, "segment_exponent")
        table_top = Signal(signed(OPERAND.exponent_bits + 2), name="table_top")
        line_top = Signal(signed(OPERAND.exponent_bits + 2), name="line_top")
        m.d.comb += [
            table_top.eq(segment + (min(reduction.exponents) + 1)),
            line_top.eq(exponent + 1 - (near & bool(reduction.halved))),
        ]
        # gelu of large operands is x.
        bounds = OPERAND.emin - 1, 0 if reduction.odd else OPERAND.emax + 1
        outside = near | far
        value, top = Mux(outside, line, value), Mux(outside, line_top, table_top)
        m.d.comb += self.y.eq(rounding.round_float(m, self.out, fixed, which, negative, value, top, bounds, 2))
        return m

    def _outside(self, m: Module, reduction: Binades, x: Operand, end: str) -> Value:
        """Whether the operand lies below (``near``) or above (``far``) all rows of its sign."""
        limits = [extent[end == "far"] for extent in (reduction.extent[True], reduction.extent[False])]
        outside = [x.exponent > limit if end == "far" else x.exponent < limit for limit in limits]
        return named(m, Mux(x.negative, outside[0], outside[1]), end)

    def _place(self, m: Module, reduction: Binades, x: Operand) -> tuple[Value, Value]:
        """Segment a cycle later, offset in it now: the row's base, of which the low bits are 0, gives the high bits."""
        p = OPERAND.fraction_bits
        fraction = x.significand[:p]
        index = Signal(unsigned(bits_for(reduction.segments - 1)), name="index")
        offset = Signal(unsigned(p - min(row.index_bits for row in reduction.rows)), name="offset_now")
        for row in reduction.rows:
            here = x.exponent == row.exponent
            if not reduction.odd:
                here &= x.negative if row.negative else ~x.negative
            rest = p - row.index_bits
            with m.If(here):
                m.d.comb += [index.eq(row.base | fraction[rest:]), offset.eq(fraction[:rest])]
        return data_register(m, index, "index"), offset
