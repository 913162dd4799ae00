"""How much a producer may still send."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from tilewright.hdl.structure import Block


class Credit(Block):
    """Counts credits: ``limit`` after reset, one less with ``take``, one more with ``give``.

    ``latency`` = 1 cycle from ``take`` or ``give`` to ``count`` and ``available``; one of each a cycle
    (``throughput`` = 1). A ``take`` without a credit, or a ``give`` beyond ``limit``, has no effect but sets
    ``error``, one cycle later, until reset.

    Members
    -------
    take, give: 1 bit each
    available: ``count`` is not 0; a ``take`` is allowed
    count: credits left, 0..``limit``
    error: sticky
    """

    latency = 1
    throughput = 1

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"limit must be at least 1 credit, got {limit}")
        self.limit = limit
        members = {"take": In(1), "give": In(1), "available": Out(1), "count": Out(bits_for(limit)), "error": Out(1)}
        super().__init__(f"credit_{limit}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        left = Signal(bits_for(self.limit), init=self.limit)
        error, taken, given = Signal(), Signal(), Signal()
        m.d.comb += [
            self.available.eq(left != 0),
            self.count.eq(left),
            self.error.eq(error),
            taken.eq(self.take & (left != 0)),
            given.eq(self.give & (left != self.limit)),
        ]
        m.d.sync += left.eq(left + given - taken)
        with m.If((self.take & ~taken) | (self.give & ~given)):
            m.d.sync += error.eq(1)
        return m
