"""A word that comes out a fixed number of cycles later, and a line of taps along such a delay."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure.block import Block


class Delay(Block):
    """Delays ``width`` bits by ``cycles`` (0 is a wire). One word a cycle, ``width * cycles`` flip-flops.

    With ``reset`` (control bits) the registers are cleared by the synchronous reset; without it they have none.
    """

    def __init__(self, width: int, cycles: int, *, reset: bool = False) -> None:
        if cycles < 0:
            raise ValueError(f"delay must be at least 0 cycles, got {cycles}")
        self.width, self.cycles, self.reset = width, cycles, reset
        super().__init__(
            f"delay_{width}x{cycles}{'_r' if reset else ''}", {"d": In(unsigned(width)), "q": Out(unsigned(width))}
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        line = Signal(self.width * self.cycles, reset_less=not self.reset)
        if self.cycles == 0:
            m.d.comb += self.q.eq(self.d)
        else:
            m.d.sync += line.eq(Cat(self.d, line))
            m.d.comb += self.q.eq(line[-self.width :])
        return m


class Taps(Block):
    """``count`` copies of ``width`` bits, copy ``i`` delayed by ``i * step`` cycles: control beside a skewed word.

    The registers are cleared by the synchronous reset. ``width * (count-1) * step`` flip-flops.
    """

    def __init__(self, count: int, width: int, *, step: int = 1) -> None:
        self.count, self.width, self.step = count, width, step
        name = f"taps_{count}x{width}{step_name(step)}"
        super().__init__(name, {"d": In(unsigned(width)), "q": Out(unsigned(width * count))})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        line = Signal(self.width * (self.count - 1) * self.step)
        if self.count > 1:
            m.d.sync += line.eq(Cat(self.d, line))
        taps = Cat(self.d, line)
        w, apart = self.width, self.width * self.step
        m.d.comb += self.q.eq(Cat(taps[copy * apart : copy * apart + w] for copy in range(self.count)))
        return m


def step_name(step: int) -> str:
    """What names of blocks say of steps of more than one cycle."""
    return f"_every{step}" if step > 1 else ""
