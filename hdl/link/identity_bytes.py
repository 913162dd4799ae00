"""What a design tells of itself, byte by byte."""

from __future__ import annotations

from binascii import crc32
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.functions.rom import Rom
from tilewright.hdl.structure import Block, data_register, named, place


class IdentityBytes(Block):
    """``identity``, 1 to 247 bytes, and zeros behind it.

    ``told`` is the first from the cycle after ``restart`` on, and the next from that after ``advance`` on: a table with
    a register behind it, which tools keep in a block RAM.
    """

    def __init__(self, identity: bytes) -> None:
        if not 1 <= len(identity) <= 247:
            raise ValueError(f"identity must have 1..247 bytes, got {len(identity)}")
        self.identity = identity
        super().__init__("identity_bytes", {"restart": In(1), "advance": In(1), "told": Out(8)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        # Tools keep so many words in a block RAM, and half as many in look-up tables, of which they take a hundred.
        rom = Rom(f"identity_{crc32(self.identity):08x}", tuple(self.identity.ljust(256, b"\0")), 8)
        m.submodules.rom = place(platform, rom)
        at = Signal(rom.address_bits)
        more = named(m, self.advance & (at != len(rom.words) - 1), "more")
        following = named(m, Mux(self.restart, 0, at + more), "following")
        m.d.sync += at.eq(following)
        m.d.comb += [rom.address.eq(following), self.told.eq(data_register(m, rom.word, "word"))]
        return m
