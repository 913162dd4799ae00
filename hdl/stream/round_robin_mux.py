"""Several streams to one, in turn."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, ShapeLike, Signal

from tilewright.hdl.stream.merge import Arbitration, Merge


class RoundRobinMux(Merge):
    """Inputs that have something take turns: none waits for more than ``ways - 1`` payloads (or packets) of others.

    Ports, latency, throughput, packets: see `Merge`. For a fixed order of importance see `PriorityMux`, for an order
    that the user gives `SelectMux`.
    """

    def __init__(self, shape: ShapeLike, ways: int) -> None:
        super().__init__("round_robin", shape, ways)

    def choose(self, m: Module, platform: Any, arbitration: Arbitration) -> None:
        """The first valid input after the one that was served last, else the first of all."""
        a = arbitration
        later, behind = Signal(self.ways), Signal(self.ways)
        m.d.comb += later.eq(a.valid & behind)
        m.d.comb += a.chosen.eq(Mux(later.any(), later & -later, a.valid & -a.valid))
        with m.If(a.taken):
            m.d.sync += behind.eq(~(a.granted | (a.granted - 1)))
