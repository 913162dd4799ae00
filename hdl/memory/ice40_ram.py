"""Memories of the single-port RAMs of iCE40 UltraPlus."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, unsigned
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory.ram import Ram
from tilewright.hdl.structure import Block, Primitive, named, place
from tilewright.hdl.structure.primitive import CLOCK, Pin

WORDS, WORD_BITS, CELLS = 16384, 16, 4
"""Words of a cell, their bits, and how many of them a part has."""


def cells_of(depth: int, width: int) -> int:
    """Cells side by side that ``depth`` words take; more than there are where one is not deep enough."""
    return -(-width // WORD_BITS) if depth <= WORDS else CELLS + 1


class Ice40Spram(Primitive):
    """SB_SPRAM256KA: 16,384 words of 16 bits, which are read or written, one a cycle.

    Members
    -------
    address, data_in
    select: access in this cycle; write: it is a write
    data_out: one cycle after a read, and holds until the next access
    """

    def __init__(self) -> None:
        pins: dict[str, Pin] = {name: (port, None) for name, port in (("ADDRESS", "address"), ("DATAIN", "data_in"))}
        pins |= {"CHIPSELECT": ("select", None), "WREN": ("write", None), "DATAOUT": ("data_out", None)}
        pins |= {"MASKWREN": Const(0xF, 4), "CLOCK": CLOCK, "STANDBY": 0, "SLEEP": 0, "POWEROFF": 1}
        members = {
            "address": In(unsigned(14)),
            "data_in": In(unsigned(WORD_BITS)),
            "select": In(1),
            "write": In(1),
            "data_out": Out(unsigned(WORD_BITS)),
        }
        super().__init__("spram_16384x16", members, cell="SB_SPRAM256KA", parameters={}, pins=pins)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.words = words = memory.Memory(shape=unsigned(WORD_BITS), depth=WORDS, init=[])
        write, read = words.write_port(), words.read_port()
        m.d.comb += [
            write.en.eq(self.select & self.write),
            read.en.eq(self.select & ~self.write),
            write.addr.eq(self.address),
            read.addr.eq(self.address),
            write.data.eq(self.data_in),
            self.data_out.eq(read.data),
        ]
        return m


class SinglePortRam(Block):
    """A `Ram` of `Ice40Spram` side by side, for users that never read and write in one cycle; ports as a `Ram` has.

    Read data is there one cycle after ``read_enable``, and holds until the next access, a write included.
    """

    def __init__(self, depth: int, width: int) -> None:
        if not 1 <= depth <= WORDS:
            raise ValueError(f"depth must be 1..{WORDS} words, got {depth}")
        ram = Ram(depth, width)
        self.width, self.address_bits = width, ram.address_bits
        super().__init__(f"single_port_{ram.name}", dict(ram.signature.members))

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        address = named(m, Mux(self.read_enable, self.read_address, self.write_address), "address")
        found = []
        for index in range(cells_of(1, self.width)):
            cell = Ice40Spram()
            m.submodules[f"cell_{index}"] = place(platform, cell)
            m.d.comb += [
                cell.address.eq(address),
                cell.select.eq(self.write_enable | self.read_enable),
                cell.write.eq(self.write_enable),
                cell.data_in.eq(self.write_data[index * WORD_BITS : (index + 1) * WORD_BITS]),
            ]
            found.append(cell.data_out)
        m.d.comb += self.read_data.eq(Cat(found))
        return m
