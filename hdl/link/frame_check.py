"""The CRC of a frame, byte by byte."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import In, Out

from tilewright.hdl.link.frame import CRC_POLYNOMIAL, CRC_START
from tilewright.hdl.structure import Block


class FrameCheck(Block):
    """CRC-16/IBM-3740 of the bytes since ``start``, one a cycle.

    Source: ITU-T V.41 (polynomial); G. Cook, "Catalogue of parametrised CRC algorithms".

    Members
    -------
    start: forget all bytes; data, valid: a byte
    crc: of all bytes before this cycle; agrees: they end with their own CRC, high byte first
    """

    def __init__(self) -> None:
        members = {"start": In(1), "data": In(8), "valid": In(1), "crc": Out(16), "agrees": Out(1)}
        super().__init__("frame_check", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        crc = Signal(16, init=CRC_START)
        bits = Cat(crc, self.data)
        following = Cat(Cat(bits[bit] for bit in sorted(terms)).xor() for terms in _taps())
        with m.If(self.start):
            m.d.sync += crc.eq(CRC_START)
        with m.Elif(self.valid):
            m.d.sync += crc.eq(following)
        m.d.comb += [self.crc.eq(crc), self.agrees.eq(crc == 0)]
        return m


def _taps() -> list[frozenset[int]]:
    """For each bit of the CRC after a byte, those of (CRC, byte) of which it is the parity; the CRC's are 0..15."""
    crc = [frozenset((bit,)) for bit in range(16)]
    for bit in reversed(range(8)):
        feedback = crc[15] ^ {16 + bit}
        crc = [frozenset(), *crc[:15]]
        crc = [terms ^ feedback if CRC_POLYNOMIAL >> tap & 1 else terms for tap, terms in enumerate(crc)]
    return crc
