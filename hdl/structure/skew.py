"""Triangles of registers: lane i waits i steps (skew), or count - 1 - i steps (deskew)."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure.block import Block
from tilewright.hdl.structure.delay import step_name


class Skew(Block):
    """Delays lane ``i`` of ``count`` lanes of ``width`` bits by ``i * step`` cycles (``count-1-i`` when ``reverse``).

    Latency: 0 to ``(count-1) * step`` cycles by lane; one word a cycle; ``step * width * count * (count-1) / 2``
    flip-flops.
    With ``reset`` (control bits) every register is cleared by the synchronous reset; without it (data) registers
    have no reset, and hold anything after it.
    """

    def __init__(self, count: int, width: int, *, reverse: bool = False, reset: bool = False, step: int = 1) -> None:
        self.count, self.width, self.reverse, self.reset, self.step = count, width, reverse, reset, step
        name = f"{'deskew' if reverse else 'skew'}_{count}x{width}{'_r' if reset else ''}{step_name(step)}"
        super().__init__(name, {"d": In(unsigned(width * count)), "q": Out(unsigned(width * count))})

    def depth(self, lane: int) -> int:
        """Cycles that ``lane`` waits."""
        return (self.count - 1 - lane if self.reverse else lane) * self.step

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        w = self.width
        for lane in range(self.count):
            value = self.d[lane * w : (lane + 1) * w]
            for step in range(self.depth(lane)):
                stage = Signal(w, name=f"lane{lane}_{step}", reset_less=not self.reset)
                m.d.sync += stage.eq(value)
                value = stage
            m.d.comb += self.q[lane * w : (lane + 1) * w].eq(value)
        return m
