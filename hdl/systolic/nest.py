"""The loop nest that every sequencer of a core walks."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block


class Nest(Block):
    """Three nested loops over tiles: counts down what is left of each extent, the current step included.

    ``start`` samples extents and tiles (the first step is in the next cycle); ``step`` ends a step. A loop's last
    step is where not more than its tile is left.

    Members
    -------
    start, step: advance
    outer, middle, inner: 16-bit extents, at least 1
    outer_tile, middle_tile, inner_tile: 13-bit elements per step, at least 1
    outer_left, middle_left, inner_left: 16 bits, at the current step
    inner_step, middle_step, outer_step: the loop that ``step`` advances now; none at the very last step
    inner_last, last: the current step is the last of the inner loop, of all loops
    """

    LOOPS = ("outer", "middle", "inner")

    def __init__(self) -> None:
        members: dict[str, Any] = {"start": In(1), "step": In(1)}
        for loop in self.LOOPS:
            members |= {loop: In(16), f"{loop}_tile": In(13), f"{loop}_left": Out(16), f"{loop}_step": Out(1)}
        super().__init__("nest", members | {"inner_last": Out(1), "last": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        advance = self.step
        ends = []
        for loop in reversed(self.LOOPS):
            left, extent, tile = (
                Signal(w, name=f"{loop}_{n}") for n, w in (("count", 16), ("extent", 16), ("size", 13))
            )
            last = Signal(name=f"{loop}_ends")
            m.d.comb += [last.eq(left <= tile), getattr(self, f"{loop}_left").eq(left)]
            m.d.comb += getattr(self, f"{loop}_step").eq(advance & ~last)
            with m.If(self.start):
                m.d.sync += [extent.eq(getattr(self, loop)), tile.eq(getattr(self, f"{loop}_tile"))]
            with m.If(self.start | advance):
                fresh = Mux(self.start, getattr(self, loop), extent)
                m.d.sync += left.eq(Mux(self.start | last, fresh, left - tile))
            ends.append(last)
            advance = advance & last
        m.d.comb += [self.inner_last.eq(ends[0]), self.last.eq(ends[0] & ends[1] & ends[2])]
        return m
