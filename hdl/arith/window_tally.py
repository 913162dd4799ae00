"""How many results of a command went wrong in their windows."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value, unsigned
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.structure import Block, named

FLAGS = ("invalid", "overflow", "underflow")
"""The flags of a sum, in their order in ``window_layout``."""


class WindowTally(Block):
    """Counts results by their flags, as they are written, in counters that stop at their greatest value.

    In a cycle with ``write``, each lane of ``written`` is one result, which may have several flags. The outputs count
    from the cycle after the last ``last`` on, this cycle included. Latency: 0 cycles; a write a cycle. The synchronous
    reset clears all.

    Parameters
    ----------
    lanes: int
        Results that are written at once: at least 1.
    count_width: int
        Bits of each counter: at least 1.

    Members
    -------
    write: In(1); written: In(lanes)
    flags: In(3 * lanes): bits ``[3*i, 3*i + 3)`` are invalid, overflow and underflow of lane ``i``
    last: In(1)
    invalid, overflow, underflow: Out(count_width)
    """

    def __init__(self, lanes: int, count_width: int = 16) -> None:
        for name, value in (("lanes", lanes), ("count_width", count_width)):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}; nearest legal value is 1")
        self.lanes, self.count_width = lanes, count_width
        members = {"write": In(1), "written": In(unsigned(lanes)), "flags": In(unsigned(3 * lanes)), "last": In(1)}
        super().__init__(
            f"window_tally_{lanes}_c{count_width}", members | {flag: Out(unsigned(count_width)) for flag in FLAGS}
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        for place, flag in enumerate(FLAGS):
            seen = named(m, self.flags[place::3] & self.written & self.write.replicate(self.lanes), f"{flag}_seen")
            now = named(m, _ones(m, seen, flag)[: ceil_log2(self.lanes + 1)], f"{flag}_now")
            before = Signal(self.count_width, name=f"{flag}_before")
            count = named(m, before + now, f"{flag}_total")
            m.d.comb += getattr(self, flag).eq(_clamped(m, count, self.count_width, f"{flag}_total"))
            m.d.sync += before.eq(getattr(self, flag))
            with m.If(self.last):
                m.d.sync += before.eq(0)
        return m


def _ones(m: Module, bits: Value, name: str) -> Value:
    """How many of ``bits`` are 1. Three of one weight become one of it and a carry, until one is left of each."""
    column, found = [*bits], list[Value]()
    while column:
        carries = list[Value]()
        while len(column) > 1:
            a, b, c = column.pop(), column.pop(), column.pop() if column else Const(0, 1)
            label = f"{name}_{len(found)}_{len(carries)}"
            column.insert(0, named(m, a ^ b ^ c, f"{label}_sum"))
            carries.append(named(m, (a & b) | (a & c) | (b & c), f"{label}_carry"))
        found += column
        column = carries
    return Cat(*found)


def _clamped(m: Module, value: Value, width: int, name: str) -> Value:
    """``value`` in ``width`` bits; the greatest of them if it has more."""
    return value[:width] | named(m, value[width:].any(), f"{name}_full").replicate(min(len(value), width))
