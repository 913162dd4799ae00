"""Rectifiers: relu, relu6, leaky relu."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.functions.operand import Operand
from tilewright.hdl.numeric import BF16, FloatFormat, encode
from tilewright.hdl.structure import Block, data_register, named


class Rectifier(Block):
    """A function of codes of ``fmt`` that leaves numbers above 0 as they are; ``y`` is that of ``x`` a cycle later.

    One a cycle, no handshake; the register has no reset. A subclass tells what becomes of a number.
    """

    latency = 1
    """Cycles from ``x`` to ``y``."""

    def __init__(self, name: str, fmt: FloatFormat) -> None:
        if fmt.infinity_bits is None:
            raise ValueError(f"format of a rectifier must have infinities, got {fmt}")
        self.fmt = fmt
        super().__init__(f"{name}_{fmt}", {"x": In(unsigned(fmt.width)), "y": Out(unsigned(fmt.width))})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        x = Operand.of(m, self.x, self.fmt)
        code = Mux(x.nan, self.fmt.nan_bits, self.rectified(m, x))
        m.d.comb += self.y.eq(data_register(m, code[: self.fmt.width], "result"))
        return m

    def rectified(self, m: Module, x: Operand) -> Value:
        """The code that ``x``, no NaN, becomes; combinational."""
        raise NotImplementedError


class Relu(Rectifier):
    """``max(x, 0)``: +0 for -0 and all below. Equals ``relu`` of the numeric models; latency 1 cycle, one a cycle."""

    def __init__(self, fmt: FloatFormat = BF16) -> None:
        super().__init__("relu", fmt)

    def rectified(self, m: Module, x: Operand) -> Value:
        return Mux(x.negative, 0, self.x)


class Relu6(Rectifier):
    """``min(max(x, 0), 6)``. Equals ``relu6`` of the numeric models; latency 1 cycle, one a cycle."""

    def __init__(self, fmt: FloatFormat = BF16) -> None:
        super().__init__("relu6", fmt)

    def rectified(self, m: Module, x: Operand) -> Value:
        six = int(encode(6.0, self.fmt))
        return Mux(x.negative, 0, Mux(self.x > six, six, self.x))


class LeakyRelu(Rectifier):
    """``x``, or ``x * 2**-slope`` below 0, rounded to nearest even where that is subnormal; -0 and -infinity stay.

    Equals ``leaky_relu`` of the numeric models; latency 1 cycle, one a cycle. ``slope`` is 1..fraction bits.
    """

    def __init__(self, slope: int, fmt: FloatFormat = BF16) -> None:
        nearest = min(max(slope, 1), fmt.fraction_bits)
        if slope != nearest:
            raise ValueError(f"slope must be 1..{fmt.fraction_bits}, got {slope}; nearest legal value is {nearest}")
        self.slope = slope
        super().__init__(f"leaky_relu_{slope}", fmt)

    def rectified(self, m: Module, x: Operand) -> Value:
        p, slope = self.fmt.fraction_bits, self.slope
        field = self.x[p:-1]
        # As many places go as the exponent falls below that of the smallest normal number.
        places = Signal(unsigned(len(Const(slope))), name="places")
        m.d.comb += places.eq(slope - Mux(field == 0, 0, field - 1))
        long = named(m, Cat(Const(0, slope), x.significand) >> places, "long")
        whole, half, below = long[slope:], long[slope - 1], long[: slope - 1].any()
        subnormal = named(m, whole + (half & (below | whole[0])), "subnormal")
        normal = named(m, self.x[:-1] - (slope << p), "normal")
        scaled = Mux(field > slope, normal[: self.fmt.width - 1], subnormal)
        kept = ~x.negative | x.infinite
        return Mux(kept, self.x, Cat(scaled[: self.fmt.width - 1], Const(1, 1)))
