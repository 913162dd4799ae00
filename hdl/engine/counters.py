"""Counts what happens in a run."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import In, Out

from tilewright.hdl.engine.register_map import COUNTERS
from tilewright.hdl.engine.registers import COUNTER_BITS
from tilewright.hdl.structure import Block


class Counters(Block):
    """Counts the cycles in which each bit of ``events`` is high; the counts are those of the run that ``clear`` begins.

    An event counts one cycle later. Members: events: a bit for each of `COUNTERS`; clear; counts: the first lowest.
    """

    def __init__(self) -> None:
        number = len(COUNTERS)
        super().__init__("counters", {"events": In(number), "clear": In(1), "counts": Out(COUNTER_BITS * number)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        happened = Signal(len(COUNTERS))
        m.d.sync += happened.eq(self.events)
        counts = [Signal(COUNTER_BITS, name=f"{name}_count") for name in COUNTERS]
        for index, count in enumerate(counts):
            with m.If(self.clear):
                m.d.sync += count.eq(0)
            with m.Elif(happened[index]):
                m.d.sync += count.eq(count + 1)
        with m.If(self.clear):
            m.d.sync += happened.eq(0)
        m.d.comb += self.counts.eq(Cat(counts))
        return m
