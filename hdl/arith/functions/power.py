"""The exponential, the sigmoid and silu."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed, unsigned

from tilewright.hdl.arith.functions import interpolation, rounding
from tilewright.hdl.arith.functions.fixed import Fixed
from tilewright.hdl.arith.functions.operand import Operand
from tilewright.hdl.arith.functions.unit import FunctionUnit
from tilewright.hdl.numeric.functions import LARGE, OPERAND, Elementary, Power
from tilewright.hdl.structure import data_register, named, pipeline


class PowerUnit(FunctionUnit):
    """A function of ``2**t``, t the operand times log2(e): whole and fractional part of t find the place in the table.

    Latency: 2 cycles to multiply and to shift, 2 to interpolate, 1 more in silu to multiply by the operand, 2 to round.
    """

    def __init__(self, unit: Elementary) -> None:
        super().__init__(unit)
        self.times_x = unit.function.name == "silu"
        self.latency = 2 + interpolation.LATENCY + self.times_x + rounding.LATENCY

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        reduction = self.unit.reduction
        assert isinstance(reduction, Power)
        x = Operand.of(m, self.x, OPERAND)
        large = named(m, x.exponent >= LARGE, "large")
        fixed = self._fixed(x, large)
        whole, fraction = self._steps(m, reduction, x)
        row, exponent = self._row(m, reduction, whole, pipeline(m, x.negative, 2, "negative"))
        index = Cat(fraction[-reduction.index_bits :], row)
        value, _ = interpolation.interpolate(
            m, platform, self.unit, f"{self.name}_table", index, fraction[: -reduction.index_bits]
        )
        # The value interpolated has its highest bit one place above 1.
        top = Signal(signed(len(exponent) + 1), name="top")
        m.d.comb += top.eq(pipeline(m, exponent, interpolation.LATENCY, "exponent") + 1)
        positions, sign = 2, Const(0, 1)
        late = self.latency - rounding.LATENCY
        if self.times_x:
            value, top = self._times_x(m, reduction, x, large, value, top)
            positions, sign = 3, pipeline(m, x.negative, late, "sign")
        which = pipeline(m, fixed.number(m), late, "which")
        # Sigmoid never exceeds 1, exp overflows, silu of large operands is x.
        bounds = (-(2 << OPERAND.exponent_bits), 0 if self.unit.function.name == "sigmoid" else OPERAND.emax + 1)
        m.d.comb += self.y.eq(rounding.round_float(m, self.out, fixed, which, sign, value, top, bounds, positions))
        return m

    def _fixed(self, x: Operand, large: Value) -> Fixed:
        """Beyond the table results are those of infinity, but silu of large operands is x."""
        plus, minus = self.unit.function.at_infinity
        beyond = {"large_minus": (large & x.negative, self.code(minus))}
        if not self.times_x:
            beyond["large_plus"] = large & ~x.negative, self.code(plus)
        return Fixed({**beyond, **self.specials(x)})

    def _times_x(
        self, m: Module, reduction: Power, x: Operand, large: Value, value: Value, top: Value
    ) -> tuple[Value, Value]:
        """``value`` times the operand, and the exponent of its highest bit, a cycle later."""
        delay = 2 + interpolation.LATENCY
        # Beyond the table silu is x: the factor is 1, which has half of it in the exponent.
        factor = named(m, Mux(pipeline(m, large, delay, "large"), 2 << reduction.point, value), "factor")
        product = data_register(m, factor * pipeline(m, x.significand, delay, "significand"), "scaled")
        scaled_top = Signal(signed(len(top) + 1), name="scaled_top")
        m.d.comb += scaled_top.eq(top + pipeline(m, x.exponent, delay, "operand_exponent") + 1)
        return product, data_register(m, scaled_top, "top_scaled")

    def _steps(self, m: Module, reduction: Power, x: Operand) -> tuple[Value, Value]:
        """Whole and fractional part of t, signed and unsigned, two cycles later."""
        low = reduction.constant_bits + OPERAND.fraction_bits - reduction.step_bits - (LARGE - 1)
        product = data_register(m, named(m, x.significand * reduction.constant, "t_product")[low:], "t_largest")
        width = len(product)
        # 0 places for the largest operands of the table, at most all of them.
        places = Signal(unsigned(len(Const(width))), name="places")
        m.d.comb += places.eq(Mux(x.exponent < LARGE - 1 - width, width, LARGE - 1 - x.exponent))
        steps = named(m, product >> data_register(m, places, "t_places"), "t_magnitude")
        below = data_register(m, x.negative, "t_negative")
        # Rounded down on both sides of 0: the complement is one step below the negative.
        t = data_register(m, Cat(steps ^ below.replicate(width), below), "t")
        return t[reduction.step_bits :].as_signed(), t[: reduction.step_bits]

    def _row(self, m: Module, reduction: Power, whole: Value, negative: Value) -> tuple[Value, Value]:
        """Row of the table, and exponent of the result: signed; combinational."""
        first, last = reduction.first_row, reduction.last_row
        if first == last:
            return Const(0, 0), whole
        row = Signal(unsigned(len(Const(last - first))), name="row")
        exponent = Signal(signed(len(whole) + 1), name="result_exponent")
        m.d.comb += [
            row.eq(Mux(whole < first, 0, Mux(whole > last, last - first, whole - first))),
            exponent.eq(Mux(negative, whole - 1, -1)),
        ]
        return row, exponent
