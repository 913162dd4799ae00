"""The fields of an operand of an elementary function."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Signal, Value, signed, unsigned

from tilewright.hdl.arith.float_shift import leading_zeros
from tilewright.hdl.numeric import FloatFormat
from tilewright.hdl.structure import named


@dataclass(frozen=True)
class Operand:
    """Combinational: sign, ``exponent`` (signed; the lowest for subnormal numbers), ``significand`` with its hidden
    bit, and what kind of number it is."""

    negative: Value
    exponent: Value
    significand: Value
    zero: Value
    infinite: Value
    nan: Value

    @classmethod
    def of(cls, m: Module, x: Value, fmt: FloatFormat, name: str = "x") -> Operand:
        """The fields of ``x``, a code of ``fmt``; a ``name`` keeps those of several operands apart."""
        p = fmt.fraction_bits
        fraction, field = named(m, x[:p], f"{name}_fraction"), named(m, x[p:-1], f"{name}_field")
        hidden = named(m, field.any(), f"{name}_hidden")
        exponent = Signal(signed(fmt.exponent_bits + 1), name=f"{name}_exponent")
        m.d.comb += exponent.eq(Cat(field[0] | ~hidden, field[1:]) - fmt.bias)
        ones = named(m, field.all(), f"{name}_ones")
        return cls(
            named(m, x[-1], f"{name}_negative"),
            exponent,
            Cat(fraction, hidden),
            named(m, ~hidden & ~fraction.any(), f"{name}_zero"),
            named(m, ones & ~fraction.any(), f"{name}_infinite"),
            named(m, ones & fraction.any(), f"{name}_nan"),
        )

    def normal(self, m: Module, name: str = "x") -> Operand:
        """The same with the leading bit in its place, whatever the exponent."""
        zeros = leading_zeros(m, Cat(Const(1, 1), self.significand[1:]), f"{name}_zeros")
        exponent = Signal(signed(len(self.exponent) + 1), name=f"{name}_normal_exponent")
        significand = Signal(unsigned(len(self.significand)), name=f"{name}_normal")
        m.d.comb += [exponent.eq(self.exponent - zeros), significand.eq(self.significand << zeros)]
        return Operand(self.negative, exponent, significand, self.zero, self.infinite, self.nan)
