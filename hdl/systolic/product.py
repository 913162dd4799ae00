"""Products and quotients for bounds checks, without multiplier blocks."""

from __future__ import annotations

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.utils import ceil_log2

from tilewright.hdl.structure import data_register
from tilewright.hdl.systolic.axis import times


def product(m: Module, x: Value, y: Value, name: str) -> Value:
    """``x * y`` two cycles later (the second adder row is combinational): shifted copies, summed by fours."""
    partial = []
    for low in range(0, len(y), 4):
        group: Value = Const(0)
        for bit in range(low, min(low + 4, len(y))):
            group = group + Mux(y[bit], x << (bit - low), 0)
        partial.append(data_register(m, group, f"{name}_part{low // 4}") << low)
    total: Value = Const(0)
    for group in partial:
        total = total + group
    return data_register(m, total[: len(x) + len(y)], name)


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
