"""A RAM whose depth is a little more than a power of two."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux

from tilewright.hdl.memory.ram import Ram
from tilewright.hdl.structure import Block, data_register, named, place

LEAST, SHARE = 512, 8


def ram(depth: int, width: int, *, lanes: int = 1) -> Ram | TailedRam:
    """The RAM to use for ``depth`` words: a `TailedRam` where that is smaller, else a `Ram`."""
    whole = 1 << (depth.bit_length() - 1)
    tailed = whole >= LEAST and 0 < depth - whole <= whole // SHARE
    return TailedRam(depth, width, lanes=lanes) if tailed else Ram(depth, width, lanes=lanes)


class TailedRam(Block):
    """A `Ram` in two: the largest power of two that ``depth`` holds, and what is left.

    Block RAMs divide powers of two well: 4,096 words of 32 bits are eight of an ECP5, each four bits wide, but 4,112
    words take nine of 512 words with a multiplexer of 292 LUTs behind them. The tail goes to LUT RAM. Same ports and
    timing as a `Ram`.
    """

    def __init__(self, depth: int, width: int, *, lanes: int = 1) -> None:
        self.depth, self.width, self.lanes = depth, width, lanes
        whole = Ram(depth, width, lanes=lanes)
        super().__init__(f"{whole.name}_in_two", dict(whole.signature.members))

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        size = 1 << (self.depth.bit_length() - 1)
        head = Ram(size, self.width, lanes=self.lanes)
        tail = Ram(self.depth - size, self.width, lanes=self.lanes)
        m.submodules.head, m.submodules.tail = place(platform, head), place(platform, tail)
        writes_tail = named(m, self.write_address[-1], "writes_tail")
        reads_tail = named(m, self.read_address[-1], "reads_tail")
        for part, writes, reads in ((head, ~writes_tail, ~reads_tail), (tail, writes_tail, reads_tail)):
            m.d.comb += [
                part.write_enable.eq(self.write_enable & writes.replicate(self.lanes)),
                part.write_address.eq(self.write_address[: part.address_bits]),
                part.write_data.eq(self.write_data),
                part.read_enable.eq(self.read_enable & reads),
                part.read_address.eq(self.read_address[: part.address_bits]),
            ]
        from_tail = data_register(m, reads_tail, "from_tail", enable=self.read_enable)
        m.d.comb += self.read_data.eq(Mux(from_tail, tail.read_data, head.read_data))
        return m
