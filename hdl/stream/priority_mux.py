"""Several streams to one, the most important first."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, ShapeLike

from tilewright.hdl.stream.merge import Arbitration, Merge


class PriorityMux(Merge):
    """Input 0 goes before input 1, and so on; an input may starve while one before it never pauses.

    Ports, latency, throughput, packets: see `Merge`. For equal shares see `RoundRobinMux`.
    """

    def __init__(self, shape: ShapeLike, ways: int) -> None:
        super().__init__("priority", shape, ways)

    def choose(self, m: Module, platform: Any, arbitration: Arbitration) -> None:
        """The lowest valid input."""
        valid = arbitration.valid
        m.d.comb += arbitration.chosen.eq(valid & -valid)
