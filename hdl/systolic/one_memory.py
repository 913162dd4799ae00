"""C as one memory of both regions, for a core that does one thing at a time."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from tilewright.hdl.memory import Geometry, WideScratchpad
from tilewright.hdl.structure import data_register, named, place
from tilewright.hdl.systolic.c_access import ArrayAccess


class OneMemory:
    """Both regions of C, the second behind a power of two of words; port and array take turns.

    Behind them is a word of zeros, which sums start from that start from nothing: so nothing has to clear what is read
    of C. It is written when a command starts. All writes come from a register, a cycle after they are asked for: beats
    and sums come from all over the core.

    Attributes
    ----------
    read, write, region, address, data: the port's requests; data of a read come one cycle later, and stay
    clear: the word of zeros is written; ``data`` is zero in this cycle
    read_data
    """

    def __init__(self, geometry: Geometry) -> None:
        g = geometry
        self.zeros = (1 << g.address_bits) + g.words
        self._both = Geometry(self.zeros + 1, g.lanes, False, g.width, g.slots)
        self.read, self.write, self.region = Signal(name="c_read"), Signal(name="c_write"), Signal(name="c_region")
        self.clear, self.address = Signal(name="c_clear"), Signal(g.address_bits, name="c_address")
        self.data, self.read_data = Signal(g.word_width, name="c_data"), Signal(g.word_width, name="c_read_data")

    def connect(self, m: Module, platform: Any, g: Geometry, array: ArrayAccess) -> tuple[Value, Value]:
        """Places the memory; see `ConnectC`."""
        memory = WideScratchpad("c", self._both)
        m.submodules.scratchpad_c = place(platform, memory)
        zeros, port = Const(self.zeros, self._both.address_bits), Cat(self.address, self.region)
        starts_from = Mux(array.continues, Cat(array.read_request["address"], array.read_region), zeros)
        writes = named(m, self.write | self.clear, "c_port_writes")
        address = Mux(writes, Mux(self.clear, zeros, port), Cat(array.write_request["address"], array.write_region))
        written = Signal(name="c_written")
        m.d.sync += written.eq(array.write | writes)
        m.d.comb += [
            memory.read.eq(array.wants | self.read),
            memory.read_address.eq(Mux(self.read, port, starts_from)),
            memory.write.eq(written),
            memory.write_address.eq(data_register(m, address, "c_written_address")),
            memory.write_slots.eq(1),
            memory.write_data.eq(data_register(m, Mux(writes, self.data, array.data), "c_written_data")),
            self.read_data.eq(memory.read_data),
        ]
        return memory.read_data, Const(1)
