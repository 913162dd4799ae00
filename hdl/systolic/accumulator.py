"""The full-width add at the foot of the array: one lane of sums onto what C starts from."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith import accumulate
from tilewright.hdl.structure import Block, data_register


class AccumulatorLane(Block):
    """``total = start + sum`` modulo 2**``width``, one cycle later; ``sum`` is signed and may be narrower.

    Members
    -------
    sum: signed, the column's sum
    start: what C holds; continues: else zero; first, broadcast (only with ``can_broadcast``): take ``first`` instead
    total: signed
    """

    def __init__(self, width: int, sum_width: int, *, can_broadcast: bool) -> None:
        self.width, self.can_broadcast = width, can_broadcast
        members: dict[str, Any] = {"sum": In(signed(sum_width)), "start": In(signed(width)), "continues": In(1)}
        if can_broadcast:
            members |= {"first": In(signed(width)), "broadcast": In(1)}
        super().__init__(
            f"accumulator_{width}_{sum_width}{'_b' if can_broadcast else ''}", members | {"total": Out(signed(width))}
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        start = Signal(signed(self.width), name="origin")
        held = Mux(self.broadcast, self.first, self.start) if self.can_broadcast else self.start
        m.d.comb += start.eq(Mux(self.continues, held, 0))
        m.d.comb += self.total.eq(data_register(m, accumulate(m, start, self.sum, self.width, "wrap"), "total_q"))
        return m
