"""A pipelined rotator of the lanes of a word."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Value, unsigned
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.structure import Block, data_register


class Rotator(Block):
    """Lane ``l`` of ``q`` is lane ``(l + amount) mod lanes`` of ``d`` (``left``: the other way round).

    ``lanes`` is a power of two. Latency ``ceil(log2(lanes) / 2)`` cycles: two levels of multiplexers a register;
    one word a cycle.
    """

    def __init__(self, lanes: int, width: int, *, left: bool = False) -> None:
        self.lanes, self.width, self.left = lanes, width, left
        self.levels = ceil_log2(lanes)
        members = {
            "d": In(unsigned(lanes * width)),
            "amount": In(unsigned(self.levels)),
            "q": Out(unsigned(lanes * width)),
        }
        super().__init__(f"rotate_{'left' if left else 'right'}_{lanes}x{width}", members)

    @property
    def latency(self) -> int:
        """Cycles from ``d`` to ``q``."""
        return (self.levels + 1) // 2

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        word: Value = self.d
        amount: Value = self.amount
        for level in range(self.levels):
            lanes = 1 << level if not self.left else self.lanes - (1 << level)
            cut = lanes * self.width
            word = Mux(amount[level], Cat(word[cut:], word[:cut]), word)
            if level % 2 or level == self.levels - 1:
                word = data_register(m, word, f"word_{level // 2}")
                amount = data_register(m, amount, f"amount_{level // 2}")
        m.d.comb += self.q.eq(word)
        return m
