"""Skew and deskew whose long lanes wait in memories."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory.ram import Ram
from tilewright.hdl.structure import Block, Skew, data_register, place

_ADDRESS_BITS = 4
_LONGEST = 8
"""Cycles that a lane waits in one memory: addresses come back after as many."""
_SHORTEST = 2


class RamSkew(Block):
    """Does what a `Skew` of data does; its longest lanes wait in memories of 16 words, for parts that have more of
    these than logic.

    A memory delays a lane by 2 to 8 cycles; what a lane waits beyond that, and what is beyond ``memories``, registers
    do. The addresses of all memories are parts of one shift register that turns the bit it takes in, so that each is
    written where it is read 1 to 7 cycles later.
    """

    def __init__(self, count: int, width: int, *, reverse: bool = False, step: int = 1, memories: int) -> None:
        like = Skew(count, width, reverse=reverse, step=step)
        self.count, self.width, self.step, self.memories, self.depth = count, width, step, memories, like.depth
        super().__init__(f"{like.name}_{memories}_rams", {"d": In(len(like.d)), "q": Out(len(like.q))})

    def waits(self, lane: int) -> int:
        """Cycles that ``lane`` waits in a memory, or 0."""
        deepest = sorted(range(self.count), key=self.depth, reverse=True)[: self.memories]
        found = min(self.depth(lane), _LONGEST)
        return found if lane in deepest and found >= _SHORTEST else 0

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        w = self.width
        turn = Signal(_ADDRESS_BITS + _LONGEST - 1, init=(1 << _ADDRESS_BITS) - 1)
        if any(self.waits(lane) for lane in range(self.count)):
            m.d.sync += turn.eq((turn << 1) | ~turn[_ADDRESS_BITS - 1])
        for lane in range(self.count):
            value: Value = self.d[lane * w : (lane + 1) * w]
            if waits := self.waits(lane):
                value = self._memory(m, platform, lane, waits, value, turn)
            for step in range(self.depth(lane) - waits):
                value = data_register(m, value, f"lane{lane}_{step}")
            m.d.comb += self.q[lane * w : (lane + 1) * w].eq(value)
        return m

    def _memory(self, m: Module, platform: Any, lane: int, waits: int, value: Value, turn: Signal) -> Value:
        """``value`` ``waits`` cycles later: it is read in the last of them."""
        memory = Ram(1 << _ADDRESS_BITS, self.width)
        m.submodules[f"lane{lane}"] = place(platform, memory)
        m.d.comb += [
            memory.write_enable.eq(1),
            memory.write_address.eq(turn[:_ADDRESS_BITS]),
            memory.write_data.eq(value),
            memory.read_enable.eq(1),
            memory.read_address.eq(turn[waits - 1 : waits - 1 + _ADDRESS_BITS]),
        ]
        return memory.read_data
