"""A small memory that is read without a clock: LUT RAM."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Module, Signal, unsigned
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from tilewright.hdl.structure import Block


class RegisterFile(Block):
    """``depth`` words of ``width`` bits, written at the clock edge, read combinationally. Undefined until written."""

    def __init__(self, depth: int, width: int) -> None:
        self.depth, self.width = depth, width
        bits = max(1, ceil_log2(depth))
        super().__init__(
            f"register_file_{depth}x{width}",
            {
                "write_enable": In(1),
                "write_address": In(bits),
                "write_data": In(unsigned(width)),
                "read_address": In(bits),
                "read_data": Out(unsigned(width)),
            },
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        words = Array(Signal(self.width, name=f"word_{i}", reset_less=True) for i in range(self.depth))
        with m.If(self.write_enable):
            m.d.sync += words[self.write_address].eq(self.write_data)
        m.d.comb += self.read_data.eq(words[self.read_address])
        return m
