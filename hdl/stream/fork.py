"""One stream to several consumers, each at its own pace."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, ShapeLike, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.stream.beat import payload_name
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.structure import Block, place


class Fork(Block):
    """Gives every payload of ``i`` once to each of ``ways`` outputs ``o_0``, ``o_1``, ...

    Eager: an output offers the payload as soon as it is there, whether or not the others can take it; the next one
    comes when all have. Latency ``latency`` = 1 cycle, ``throughput`` = 1 payload a cycle. ``i.ready`` and every
    ``valid`` and ``payload`` depend on registers only.
    """

    latency = 1
    throughput = 1

    def __init__(self, shape: ShapeLike, ways: int) -> None:
        if ways < 2:
            raise ValueError(f"ways must be at least 2, got {ways}")
        self.shape, self.ways = shape, ways
        signature = stream.Signature(shape)
        outputs = {f"o_{way}": Out(signature) for way in range(ways)}
        super().__init__(f"fork_{ways}x{payload_name(shape)}", {"i": In(signature)} | outputs)

    @property
    def outputs(self) -> list[Any]:
        """The output streams."""
        return [getattr(self, f"o_{way}") for way in range(self.ways)]

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.buffer = place(platform, buffer := Buffer(self.shape))
        connect(m, flipped(self.i), buffer.i)
        done, taken = Signal(self.ways), Signal(self.ways)
        for way, output in enumerate(self.outputs):
            m.d.comb += [
                output.payload.eq(buffer.o.payload),
                output.valid.eq(buffer.o.valid & ~done[way]),
                taken[way].eq(done[way] | output.ready),
            ]
        m.d.comb += buffer.o.ready.eq(taken.all())
        with m.If(buffer.o.valid):
            m.d.sync += done.eq(Mux(taken.all(), 0, taken))
        return m
