"""Products and quotients for bounds checks, without multiplier blocks."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.structure import Block, data_register, place
from tilewright.hdl.systolic.axis import times


class Product(Block):
    """``q = x * y``, unsigned, two cycles later: shifted copies of ``x``, summed by fours, then together.

    One product a cycle; registers without reset.
    """

    GROUP = 4
    LATENCY = 2

    def __init__(self, x_bits: int, y_bits: int) -> None:
        self.x_bits, self.y_bits = x_bits, y_bits
        super().__init__(
            f"product_{x_bits}x{y_bits}",
            {"x": In(unsigned(x_bits)), "y": In(unsigned(y_bits)), "q": Out(unsigned(x_bits + y_bits))},
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        total: Value = Const(0)
        for low in range(0, self.y_bits, self.GROUP):
            part: Value = Const(0)
            for bit in range(low, min(low + self.GROUP, self.y_bits)):
                part = part + Mux(self.y[bit], self.x << (bit - low), 0)
            total = total + (data_register(m, part, f"part_{low // self.GROUP}") << low)
        m.d.comb += self.q.eq(data_register(m, total[: self.x_bits + self.y_bits], "total"))
        return m


def product(m: Module, platform: Any, x: Value, y: Value, name: str) -> Value:
    """``x * y`` two cycles later: a `Product`."""
    block = Product(len(x), len(y))
    m.submodules[name] = place(platform, block)
    m.d.comb += [block.x.eq(x), block.y.eq(y)]
    return block.q


def ceil_div(value: Value, divisor: int) -> Value:
    """``ceil(value / divisor)`` of an unsigned value of at most 16 bits, combinational.

    Exact: with ``s = 17 + ceil(log2(divisor))`` bits the reciprocal errs by less than 2**-17 per unit of value.
    """
    raised = (value + (divisor - 1))[:17]
    shift = ceil_log2(divisor)
    if divisor == 1 << shift:
        return raised[shift:]
    scale = 17 + shift
    return times(raised, -(-(1 << scale) // divisor))[scale : scale + 17 - shift + 1]


def clamped(m: Module, value: Value, words: int, name: str) -> tuple[Signal, Signal]:
    """(``value`` cut to the bits of ``words``, whether it exceeds ``words``)."""
    short = Signal((words).bit_length(), name=f"{name}_short")
    beyond = Signal(name=f"{name}_beyond")
    m.d.comb += [short.eq(value), beyond.eq(value > words)]
    return short, beyond
