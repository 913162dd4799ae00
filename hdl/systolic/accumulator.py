"""What a word of C starts from, and the full-width add at the foot of the array."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, signed
from amaranth.lib.wiring import In, Member, Out

from tilewright.hdl.arith import accumulate
from tilewright.hdl.structure import Block, data_register

SHARED = ("continues", "first", "broadcast")
"""Ports that all lanes share, where they have them."""


def _start_members(width: int, can_broadcast: bool) -> dict[str, Member]:
    members: dict[str, Any] = {"held": In(signed(width)), "continues": In(1)}
    return members | ({"first": In(signed(width)), "broadcast": In(1)} if can_broadcast else {})


def _start(lane: Any) -> Value:
    held = Mux(lane.broadcast, lane.first, lane.held) if lane.can_broadcast else lane.held
    return Mux(lane.continues, held, 0)


class StartLane(Block):
    """What one lane of C starts from; combinational.

    Members
    -------
    held: what C or the bias row holds; continues: else zero
    first, broadcast (only with ``can_broadcast``): take ``first`` instead of ``held``
    seed: signed
    """

    def __init__(self, width: int, *, can_broadcast: bool) -> None:
        self.can_broadcast = can_broadcast
        members = _start_members(width, can_broadcast) | {"seed": Out(signed(width))}
        super().__init__(f"start_{width}{'_b' if can_broadcast else ''}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.d.comb += self.seed.eq(_start(self))
        return m


class AccumulatorLane(Block):
    """``total = start + sum`` modulo 2**``width``, one cycle later; ``sum`` is signed and may be narrower.

    Members are those of `StartLane`, but for ``seed``, and:
    sum: signed, the column's sum
    total: signed
    """

    def __init__(self, width: int, sum_width: int, *, can_broadcast: bool) -> None:
        self.width, self.can_broadcast = width, can_broadcast
        members = _start_members(width, can_broadcast)
        members |= {"sum": In(signed(sum_width)), "total": Out(signed(width))}
        super().__init__(f"accumulator_{width}_{sum_width}{'_b' if can_broadcast else ''}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        start = Signal(signed(self.width), name="origin")
        m.d.comb += start.eq(_start(self))
        m.d.comb += self.total.eq(data_register(m, accumulate(m, start, self.sum, self.width, "wrap"), "total_q"))
        return m
