"""The one memory primitive: a word-wide RAM with one write and one read port."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, unsigned
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.structure import Block


class Ram(Block):
    """``depth`` words of ``lanes * width`` bits, one write port and one read port.

    A write takes effect at the clock edge; ``write_enable`` has one bit a lane. Read data is there one cycle after
    ``read_enable``, and holds otherwise. Contents are undefined until written. Reading the address that is being
    written gives undefined data: users must not.
    """

    def __init__(self, depth: int, width: int, *, lanes: int = 1) -> None:
        if depth < 1:
            raise ValueError(f"depth must be at least 1 word, got {depth}")
        self.depth, self.width, self.lanes = depth, width, lanes
        self.address_bits = max(1, ceil_log2(depth))
        super().__init__(
            f"ram_{depth}x{lanes * width}{f'_by_{width}' if lanes > 1 else ''}",
            {
                "write_enable": In(unsigned(lanes)),
                "write_address": In(unsigned(self.address_bits)),
                "write_data": In(unsigned(width * lanes)),
                "read_enable": In(unsigned(1)),
                "read_address": In(unsigned(self.address_bits)),
                "read_data": Out(unsigned(width * lanes)),
            },
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.words = words = memory.Memory(shape=unsigned(self.width * self.lanes), depth=self.depth, init=[])
        write = words.write_port(granularity=self.width if self.lanes > 1 else None)
        read = words.read_port()
        m.d.comb += [
            write.en.eq(self.write_enable),
            write.addr.eq(self.write_address),
            write.data.eq(self.write_data),
            read.en.eq(self.read_enable),
            read.addr.eq(self.read_address),
            self.read_data.eq(read.data),
        ]
        return m
