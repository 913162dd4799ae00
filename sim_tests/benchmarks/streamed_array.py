"""The array of a core with a handshake around it, for measurements: what of a core works every cycle."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.stream import Credit
from tilewright.hdl.structure import Block, Delay, place
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.controls import Controls
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.sums import lanes_of

CREDITS = 64
_ON_THE_WAY = 4  # words that may still take a credit when `ready` is told, beside those of a tile that stays


class StreamedArray(Block):
    """Array, its controls, and the adders at its foot, as a core of ``p`` that wraps has them.

    A step is taken in a cycle in which it is ``valid`` and ``ready``: there are credits for all words that steps which
    have been taken may still give, one each; ``give`` gives one back. A step's ``x`` comes when the step meets the
    array, see `Controls`; its results, of the width of the accumulators, come with ``told``: ``start``, which is given
    a cycle before, and what the array sums.

    Members
    -------
    valid, ready, give, told: the handshake
    x, y, start, results: words
    all others: as of `Controls`
    """

    def __init__(self, p: CoreParameters) -> None:
        self.parameters = p
        self._steps = ("first", "last", "output_stationary", "load_active", "load_last", "load_output_stationary")
        members: dict[str, Any] = {"valid": In(1), "ready": Out(1), "give": In(1), "told": Out(1)}
        members |= {name: In(1) for name in self._steps}
        members |= {"x": In(p.rows * len(p.element.x_in)), "y": In(p.cols * len(p.element.y_in))}
        members |= {"start": In(unsigned(p.cols * p.acc_bits)), "results": Out(unsigned(p.cols * p.acc_bits))}
        super().__init__("streamed_array", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        controls, credit = Controls(p), Credit(CREDITS)
        array = SystolicArray(p.element, p.rows, p.cols, seeded=p.seeded, skew_memories=p.skew_memories)
        lanes, told = lanes_of(p), Delay(1, controls.word_latency + 1, reset=True)
        blocks = {"array": array, "controls": controls, "credit": credit, "starts": lanes, "told_delay": told}
        for name, block in blocks.items():
            m.submodules[name] = place(platform, block)
        m.d.sync += self.ready.eq(credit.count > p.rows + _ON_THE_WAY)
        m.d.comb += [
            controls.active.eq(self.valid & self.ready),
            credit.take.eq(controls.word),
            credit.give.eq(self.give),
            told.d.eq(controls.word),
            self.told.eq(told.q),
            array.x.eq(self.x),
            array.y.eq(self.y),
            lanes.continues.eq(1),
            lanes.held.eq(self.start),
            lanes.sum.eq(array.sums),
            self.results.eq(lanes.total),
        ]
        m.d.comb += [getattr(controls, name).eq(getattr(self, name)) for name in self._steps]
        for control in (*p.element.row_controls, *p.element.column_controls):
            m.d.comb += getattr(array, control).eq(getattr(controls, control))
        return m
