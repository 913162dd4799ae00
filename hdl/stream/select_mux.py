"""Several streams to one, in an order that another stream gives."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, ShapeLike, unsigned
from amaranth.lib import stream
from amaranth.lib.wiring import In, connect, flipped
from amaranth.utils import ceil_log2

from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.stream.merge import Arbitration, Merge
from tilewright.hdl.structure import place


class SelectMux(Merge):
    """Each payload of ``select`` names the input of the next payload (or packet) of ``o``.

    A number past the last input names the last. Ports, latency (``select`` has the same), throughput, packets: see
    `Merge`. For an order by arrival see `RoundRobinMux`.
    """

    def __init__(self, shape: ShapeLike, ways: int) -> None:
        self.select_shape = unsigned(max(1, ceil_log2(max(ways, 1))))
        super().__init__("select", shape, ways, {"select": In(stream.Signature(self.select_shape))})

    def choose(self, m: Module, platform: Any, arbitration: Arbitration) -> None:
        """The input that ``select`` names, until its packet ends."""
        a = arbitration
        m.submodules.select = place(platform, buffer := Buffer(self.select_shape))
        connect(m, flipped(self.select), buffer.i)
        m.d.comb += buffer.o.ready.eq(a.taken & a.ends)
        for way in range(self.ways):
            named = buffer.o.payload == way if way < self.ways - 1 else buffer.o.payload >= way
            m.d.comb += a.chosen[way].eq(buffer.o.valid & named & a.valid[way])
