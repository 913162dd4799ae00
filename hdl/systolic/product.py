"""Products and quotients for bounds checks, without multiplier blocks."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.structure import Block, data_register, named, place


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


def ceil_shift(m: Module, value: Value, divisor: int, name: str) -> Value:
    """``ceil(value / divisor)`` of an unsigned value of at most 16 bits by a power of two."""
    if divisor == 1:
        return value
    return named(m, (value + (divisor - 1))[:17], f"{name}_raised")[divisor.bit_length() - 1 :]


def ceil_div_cycles(divisor: int) -> int:
    """Latency of `ceil_div`: 0 cycles for a power of two, else 1."""
    return int(divisor & (divisor - 1) != 0)


def ceil_div(m: Module, value: Value, divisor: int, name: str) -> Value:
    """``ceil(value / divisor)`` of an unsigned value of at most 16 bits, `ceil_div_cycles` later.

    The odd factor of ``divisor`` is divided by as a product with its reciprocal: shifted copies, summed by fours before
    a register, then together. Exact: with ``17 + ceil(log2(odd))`` bits the reciprocal errs by less than 2**-17 per
    unit of value (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994).
    """
    twos = divisor & -divisor
    odd = divisor // twos
    part = ceil_shift(m, value, twos, name)
    if odd == 1:
        return part
    scale = 17 + ceil_log2(odd)
    reciprocal = -(-(1 << scale) // odd)
    raised = named(m, (part + (odd - 1))[:17], f"{name}_divided")
    places = [bit for bit in range(reciprocal.bit_length()) if reciprocal >> bit & 1]
    total: Value = Const(0)
    for number, low in enumerate(range(0, len(places), Product.GROUP)):
        first, *rest = places[low : low + Product.GROUP]
        share = sum((raised << (bit - first) for bit in rest), raised)
        total = total + (data_register(m, share, f"{name}_share_{number}") << first)
    return total[scale : scale + 17 - ceil_log2(odd) + 1]


def clamped(m: Module, value: Value, words: int, name: str) -> tuple[Signal, Signal]:
    """(``value`` cut to the bits of ``words``, whether it exceeds ``words``)."""
    short = Signal((words).bit_length(), name=f"{name}_short")
    beyond = Signal(name=f"{name}_beyond")
    m.d.comb += [short.eq(value), beyond.eq(value > words)]
    return short, beyond
