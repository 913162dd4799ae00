"""Division of two floats."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.functions import rounding
from tilewright.hdl.arith.functions.fixed import Fixed
from tilewright.hdl.arith.functions.operand import Operand
from tilewright.hdl.numeric import BF16, FloatFormat
from tilewright.hdl.structure import Block, data_register, named, pipeline


class Divider(Block):
    """``a / b`` at ``y``, correctly rounded, one a cycle: restoring division, ``bits_a_cycle`` quotient bits a cycle.

    Equals ``divide`` of the numeric models for every pair. Latency: 1 cycle for the operands, 2 to round, and
    ``ceil((fraction bits + 4) / bits_a_cycle)`` for the quotient between. No handshake; registers have no reset.

    Parameters
    ----------
    fmt: FloatFormat
        Format of operands and result, one with infinities.
    bits_a_cycle: int
        1..fraction bits + 4; each is a subtraction of fraction bits + 2 bits in a row with the others.
    """

    def __init__(self, fmt: FloatFormat = BF16, bits_a_cycle: int = 2) -> None:
        if fmt.infinity_bits is None:
            raise ValueError(f"format of a divider must have infinities, got {fmt}")
        self.quotient_bits = fmt.fraction_bits + 4
        nearest = min(max(bits_a_cycle, 1), self.quotient_bits)
        if bits_a_cycle != nearest:
            raise ValueError(
                f"bits_a_cycle must be 1..{self.quotient_bits}, got {bits_a_cycle}; nearest legal value is {nearest}"
            )
        self.fmt, self.bits_a_cycle = fmt, bits_a_cycle
        self.latency = 1 + -(-self.quotient_bits // bits_a_cycle) + rounding.LATENCY
        code = unsigned(fmt.width)
        super().__init__(f"divide_{fmt}_by_{bits_a_cycle}", {"a": In(code), "b": In(code), "y": Out(code)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        a, b = (Operand.of(m, code, self.fmt, name) for code, name in ((self.a, "a"), (self.b, "b")))
        negative = named(m, a.negative ^ b.negative, "negative")
        fixed = self._fixed(a, b, negative)
        left, right = a.normal(m, "a"), b.normal(m, "b")
        top = Signal(signed(len(left.exponent) + 1), name="top")
        m.d.comb += top.eq(left.exponent - right.exponent)
        delay = self.latency - rounding.LATENCY
        top, negative, which = (
            pipeline(m, value, delay, name)
            for name, value in (("top", top), ("negative", negative), ("which", fixed.number(m)))
        )
        quotient, rest = self._quotient(m, left.significand, right.significand)
        magnitude = Cat(rest.any(), quotient)
        bounds = self.fmt.last_place - self.fmt.emax, self.fmt.emax - self.fmt.last_place
        m.d.comb += self.y.eq(rounding.round_float(m, self.fmt, fixed, which, negative, magnitude, top, bounds, 2))
        return m

    def _quotient(self, m: Module, dividend: Value, divisor: Value) -> tuple[Value, Value]:
        """Whole part and fraction of the quotient, and what is left."""
        rest, divisor = data_register(m, dividend, "dividend"), data_register(m, divisor, "divisor")
        bits: list[Value] = []
        for step in range(self.quotient_bits):
            # The rest is below twice the divisor; what is left of it, doubled, is so again.
            less = Signal(signed(len(rest) + 1), name=f"less_{step}")
            m.d.comb += less.eq(rest - divisor)
            fits = named(m, ~less[-1], f"fits_{step}")
            left = named(m, Mux(fits, less, rest)[: len(divisor)], f"left_{step}")
            bits = [fits, *bits]
            if step == self.quotient_bits - 1 or step % self.bits_a_cycle == self.bits_a_cycle - 1:
                left = data_register(m, left, f"rest_{step}")
                divisor = data_register(m, divisor, f"divisor_{step}")
                done = data_register(m, Cat(*bits), f"quotient_{step}")
                bits = list(done)
            rest = left << 1
        return Cat(*bits), rest

    def _fixed(self, a: Operand, b: Operand, negative: Value) -> Fixed:
        fmt = self.fmt
        assert fmt.infinity_bits is not None
        infinite, nothing = a.infinite | b.zero, a.zero | b.infinite
        undefined = a.nan | b.nan | (a.zero & b.zero) | (a.infinite & b.infinite)
        return Fixed(
            {
                "infinity_plus": (infinite & ~negative, fmt.infinity_bits),
                "infinity_minus": (infinite & negative, fmt.sign_bit | fmt.infinity_bits),
                "zero_plus": (nothing & ~negative, 0),
                "zero_minus": (nothing & negative, fmt.sign_bit),
                "nan": (undefined, fmt.nan_bits),
            }
        )
