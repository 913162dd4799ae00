"""C as a memory a region, so that ports use the one while the array uses the other."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Value

from tilewright.hdl.memory import Geometry
from tilewright.hdl.structure import place
from tilewright.hdl.systolic.c_access import ArrayAccess
from tilewright.hdl.systolic.c_region import CRegion


class TwoRegions:
    """Both regions of C; ``regions`` are there from the array's `connect` on."""

    def __init__(self) -> None:
        self.regions: list[CRegion] = []

    def connect(self, m: Module, platform: Any, g: Geometry, array: ArrayAccess) -> tuple[Value, Value]:
        """Places the regions; see `ConnectC`."""
        self.regions = [CRegion(g) for _ in range(2)]
        for index, region in enumerate(self.regions):
            m.submodules[f"c_region_{index}"] = place(platform, region)
            m.d.comb += [
                region.array_read.eq(array.wants & array.continues & (array.read_region == index)),
                region.array_write.eq(array.write & (array.write_region == index)),
                region.array_write_data.eq(array.data),
            ]
            if g.banked:
                m.d.comb += region.array_write_lanes.eq(array.lanes)
            for port, value in array.read_request.items():
                m.d.comb += getattr(region, f"array_read_{port}").eq(value)
                m.d.comb += getattr(region, f"array_write_{port}").eq(array.write_request[port])
        return Mux(array.came_region, self.regions[1].read_data, self.regions[0].read_data), array.came_continues
