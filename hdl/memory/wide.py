"""A scratchpad that is one wide memory: words of a row, read and written whole."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, unsigned
from amaranth.lib.wiring import In, Member, Out

from tilewright.hdl.memory.geometry import Geometry
from tilewright.hdl.memory.ice40_ram import SinglePortRam
from tilewright.hdl.memory.request import request_members
from tilewright.hdl.memory.tailed_ram import ram
from tilewright.hdl.structure import Block, place


def scratchpad_members(geometry: Geometry) -> dict[str, Member]:
    """Ports of a scratchpad: a read request, its data ``read_latency`` cycles later, and a write with its data.

    ``write_lanes`` enables lanes, ``write_slots`` the values of every written element; both with the request.
    """
    request = request_members(geometry)
    members: dict[str, Member] = {"read": In(1)}
    members |= {f"read_{name}": member for name, member in request.items()}
    members |= {"read_data": Out(unsigned(geometry.word_width)), "write": In(1)}
    members |= {f"write_{name}": member for name, member in request.items()}
    members |= {"write_slots": In(geometry.slots), "write_data": In(unsigned(geometry.word_width))}
    if geometry.banked:
        members["write_lanes"] = In(geometry.lanes)
    return members


class WideScratchpad(Block):
    """One memory of ``geometry.words`` wide words; row accesses that start at a panel only.

    Latency: data 1 cycle after ``read``; a write takes effect at the end of its cycle. One access of each a cycle; of
    either where ``single_port`` says that the memory, whose words have one slot an element, has one port.
    """

    def __init__(self, name: str, geometry: Geometry, *, single_port: bool = False) -> None:
        self.geometry, self.single_port = geometry, single_port
        super().__init__(f"scratchpad_{name}", scratchpad_members(geometry))

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        g = self.geometry
        # Slot s of every lane has the same enable, so a memory a slot would do; one memory with an enable per value
        # is what tools map best, and one whole word where there is a single slot.
        lanes = g.lanes * g.slots if g.slots > 1 else 1
        if self.single_port:
            words: Any = SinglePortRam(g.words, g.word_width)
        else:
            words = ram(g.words, g.word_width // lanes, lanes=lanes)
        m.submodules.ram = place(platform, words)
        enables = self.write_slots.replicate(g.lanes) if g.slots > 1 else self.write_slots
        m.d.comb += [
            words.read_enable.eq(self.read),
            words.read_address.eq(self.read_address),
            self.read_data.eq(words.read_data),
            words.write_enable.eq(enables & self.write.replicate(lanes)),
            words.write_address.eq(self.write_address),
            words.write_data.eq(self.write_data),
        ]
        return m
