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
        super().__init__(f"mask_{lanes}x{vector}", {"count": In(16), "each_lane": In(1), "exists": Out(lanes * vector)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        whole = Signal(self.lanes * self.vector)
        vector = Signal(self.vector)
        m.d.comb += [
            whole.eq(below(m, self.count, self.lanes * self.vector, "whole")),
            vector.eq(below(m, self.count, self.vector, "vector")),
        ]
        exists = Mux(self.each_lane, vector.replicate(self.lanes), whole)
        m.d.comb += self.exists.eq(data_register(m, exists, "exists_q"))
        return m


def below(m: Module, count: Value, number: int, name: str) -> Value:
    """Which of 0..number-1 are below ``count``."""
    bits = number.bit_length()
    many = named(m, count[bits:].any(), f"{name}_many")
    return Cat(many | (count[:bits] > v) for v in range(number))


def masked(word: Value, exists: Value, width: int) -> Value:
    """``word`` of values of ``width`` bits, those that do not exist cleared."""
    return word & Cat(bit.replicate(width) for bit in exists)
