"""Wide beats to narrow ones."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.structure import Block, place


class Narrow(Block):
    """Splits beats of ``lanes * factor`` elements into beats of ``lanes``, lane 0 first; empty ones are left out.

    ``last`` comes with the last narrow beat of a packet. Latency ``latency`` = 1 cycle, ``throughput`` = 1 narrow
    beat a cycle, without a gap between wide beats. ``i.ready``, ``o.valid`` and ``o.payload`` depend on registers
    only. The other way round: `Widen`.
    """

    latency = 1
    throughput = 1

    def __init__(self, lanes: int, width: int, factor: int) -> None:
        if factor < 2:
            raise ValueError(f"factor must be at least 2, got {factor}")
        self.lanes, self.width, self.factor = lanes, width, factor
        narrow, wide = beat_layout(lanes, width), beat_layout(lanes * factor, width)
        members = {"i": In(stream.Signature(wide)), "o": Out(stream.Signature(narrow))}
        super().__init__(f"narrow_{lanes * factor}to{lanes}x{width}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        n, w = self.lanes, self.lanes * self.width
        m.submodules.buffer = place(platform, buffer := Buffer(beat_layout(self.lanes * self.factor, self.width)))
        connect(m, flipped(self.i), buffer.i)
        wide = buffer.o.payload
        position = Signal(range(self.factor))
        # Kept lanes are contiguous: the next part has any when it has its first.
        more = Array([*(wide.keep[part * n] for part in range(1, self.factor)), 0])[position]
        m.d.comb += [
            self.o.valid.eq(buffer.o.valid),
            self.o.payload.data.eq(Array(wide.data[p * w : (p + 1) * w] for p in range(self.factor))[position]),
            self.o.payload.keep.eq(Array(wide.keep[p * n : (p + 1) * n] for p in range(self.factor))[position]),
            self.o.payload.last.eq(wide.last & ~more),
            buffer.o.ready.eq(self.o.ready & ~more),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += position.eq(0)
            with m.If(more):
                m.d.sync += position.eq(position + 1)
        return m
