"""C as one memory of both regions, for a core that does one thing at a time."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from tilewright.hdl.memory import Geometry, WideScratchpad
from tilewright.hdl.structure import place
from tilewright.hdl.systolic.c_access import ArrayAccess


class OneMemory:
    """Both regions of C, the second behind a power of two of words; port and array take turns.

    Attributes
    ----------
    read, write, region, address, data: the port's requests; data of a read come one cycle later, and stay
    read_data
    """

    def __init__(self, geometry: Geometry) -> None:
        g = geometry
        self._both = Geometry((1 << g.address_bits) + g.words, g.lanes, False, g.width, g.slots)
        self.read, self.write, self.region = Signal(name="c_read"), Signal(name="c_write"), Signal(name="c_region")
        self.address = Signal(g.address_bits, name="c_address")
        self.data, self.read_data = Signal(g.word_width, name="c_data"), Signal(g.word_width, name="c_read_data")

    def connect(self, m: Module, platform: Any, g: Geometry, array: ArrayAccess) -> Value:
        """Places the memory; see `ConnectC`."""
        memory = WideScratchpad("c", self._both)
        m.submodules.scratchpad_c = place(platform, memory)
        port = Cat(self.address, self.region)
        m.d.comb += [
            memory.read.eq(array.read | self.read),
            memory.read_address.eq(Mux(self.read, port, Cat(array.read_request["address"], array.read_region))),
            memory.write.eq(array.write | self.write),
            memory.write_address.eq(Mux(self.write, port, Cat(array.write_request["address"], array.write_region))),
            memory.write_slots.eq(1),
            memory.write_data.eq(Mux(self.write, self.data, array.data)),
            self.read_data.eq(memory.read_data),
        ]
        return memory.read_data
