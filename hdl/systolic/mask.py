"""Clears what lies beyond the edge of a matrix."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block, data_register, named


class EdgeMask(Block):
    """Which of ``lanes * vector`` values of a word exist, one cycle after ``count`` is given.

    Value ``v`` exists when ``v < count``; with ``each_lane`` when ``v mod vector < count``: every lane holds a vector
    of its own. ``lanes * vector`` flip-flops.
    """

    def __init__(self, lanes: int, vector: int) -> None:
        self.lanes, self.vector = lanes, vector
        super().__init__(f"mask_{lanes}x{vector}", {"count": In(13), "each_lane": In(1), "exists": Out(lanes * vector)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        whole = Signal(self.lanes * self.vector)
        vector = Signal(self.vector)
        m.d.comb += [
            whole.eq(Cat(self.count > v for v in range(self.lanes * self.vector))),
            vector.eq(Cat(self.count > v for v in range(self.vector))),
        ]
        exists = Mux(self.each_lane, vector.replicate(self.lanes), whole)
        m.d.comb += self.exists.eq(data_register(m, exists, "exists_q"))
        return m


def capped(m: Module, count: Value, number: int, name: str) -> Value:
    """``count`` for comparisons with at most ``number``: in as few bits as that has, all ones where it needs more."""
    bits = number.bit_length()
    many = named(m, count[bits:].any(), f"{name}_many")
    return Mux(many, (1 << bits) - 1, count[:bits])
