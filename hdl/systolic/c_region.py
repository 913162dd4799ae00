"""One region of C: its scratchpad, shared by the array, which has priority, and the ports."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory import BankedScratchpad, Geometry, WideScratchpad, request_members
from tilewright.hdl.structure import Block, place


class CRegion(Block):
    """A scratchpad with two users a side. The array is never refused; a port's access is done when ``*_grant`` is high.

    Members
    -------
    array_read, array_read_*, array_write, array_write_*: the array's accesses
    port_read, port_read_*, read_grant; port_write, port_write_*, write_grant: the ports'
    read_data: of either, ``read_latency`` cycles later
    """

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        members: dict[str, Any] = {}
        request = request_members(geometry)
        for user in ("array", "port"):
            members |= {f"{user}_read": In(1), f"{user}_write": In(1), f"{user}_write_data": In(geometry.word_width)}
            for side in ("read", "write"):
                members |= {f"{user}_{side}_{port}": member for port, member in request.items()}
        if geometry.banked:
            members["array_write_lanes"] = In(geometry.lanes)
        members |= {"read_grant": Out(1), "write_grant": Out(1), "read_data": Out(geometry.word_width)}
        super().__init__("c_region", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        g = self.geometry
        memory = (BankedScratchpad if g.banked else WideScratchpad)("c", g)
        m.submodules.memory = place(platform, memory)
        for side in ("read", "write"):
            array = getattr(self, f"array_{side}")
            m.d.comb += [
                getattr(memory, side).eq(array | getattr(self, f"port_{side}")),
                getattr(self, f"{side}_grant").eq(~array),
            ]
            for port in (*request_members(g), *(("data",) if side == "write" else ())):
                name = f"{side}_{port}"
                m.d.comb += getattr(memory, name).eq(
                    Mux(array, getattr(self, f"array_{name}"), getattr(self, f"port_{name}"))
                )
        m.d.comb += [self.read_data.eq(memory.read_data), memory.write_slots.eq(1)]
        if g.banked:
            m.d.comb += memory.write_lanes.eq(Mux(self.array_write, self.array_write_lanes, (1 << g.lanes) - 1))
        return m
