"""The loop nest that every sequencer of a core walks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block, at_most


class Nest(Block):
    """Three nested loops over tiles: counts down what is left of each extent, the current step included.

    Extents are at most ``2**bits - 1``, tiles at most ``2**tile_bits - 1``, or ``tiles``, one a loop, where they are
    always the same.

    ``start`` samples extents (the first step is in the next cycle); ``step`` ends a step. A loop's last step is where
    not more than its tile is left. Where whoever gives the extents holds them until the last step, none is kept here.

    Members
    -------
    start, step: advance
    outer, middle, inner: extents, at least 1
    outer_tile, middle_tile, inner_tile: elements per step, at least 1; to be held while the nest is walked
    outer_left, middle_left, inner_left: at the current step
    inner_step, middle_step, outer_step: the loop that ``step`` advances now; none at the very last step
    inner_last, last: the current step is the last of the inner loop, of all loops
    """

    LOOPS = ("outer", "middle", "inner")

    def __init__(
        self, bits: int, tile_bits: int, *, held: bool = False, tiles: Mapping[str, int] | None = None
    ) -> None:
        self.bits, self.tile_bits, self.held, self.tiles = bits, tile_bits, held, tiles
        members: dict[str, Any] = {"start": In(1), "step": In(1)}
        for loop in self.LOOPS:
            members |= {loop: In(bits), f"{loop}_left": Out(bits)}
            members |= {f"{loop}_tile": In(tile_bits)} if tiles is None else {}
            members |= {f"{loop}_step": Out(1)}
        steps = f"{bits}_{tile_bits}" if tiles is None else f"{bits}_by_{'_'.join(map(str, tiles.values()))}"
        super().__init__(f"nest_{steps}", members | {"inner_last": Out(1), "last": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        advance = self.step
        ends = []
        for loop in reversed(self.LOOPS):
            left = Signal(self.bits, name=f"{loop}_count")
            extent = Signal(self.bits, name=f"{loop}_extent")
            if self.held:
                m.d.comb += extent.eq(getattr(self, loop))
            tile = self.tiles[loop] if self.tiles else getattr(self, f"{loop}_tile")
            last = Signal(name=f"{loop}_ends")
            if not self.tiles:
                m.d.comb += last.eq(left <= tile)
            m.d.comb += [getattr(self, f"{loop}_left").eq(left), getattr(self, f"{loop}_step").eq(advance & ~last)]
            with m.If(self.start):
                m.d.sync += left.eq(getattr(self, loop))
                if not self.held:
                    m.d.sync += extent.eq(getattr(self, loop))
                if self.tiles:
                    m.d.sync += last.eq(at_most(getattr(self, loop), tile))
            with m.Elif(advance):
                m.d.sync += left.eq(left - tile)
                if self.tiles:  # known a step before, so that nothing waits for the comparison
                    m.d.sync += last.eq(at_most(left, 2 * tile))
                if loop != "outer":  # whose end is that of the nest
                    with m.If(last):
                        m.d.sync += left.eq(extent)
                        if self.tiles:
                            m.d.sync += last.eq(at_most(extent, tile))
            ends.append(last)
            advance = advance & last
        m.d.comb += [self.inner_last.eq(ends[0]), self.last.eq(ends[0] & ends[1] & ends[2])]
        return m
