"""Frames out of a stream of bytes."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.link.framed import framed_layout
from tilewright.hdl.structure import Block

LONGEST = 0xFF
"""The code of a block without a zero behind it."""


class CobsDecode(Block):
    """Takes Consistent Overhead Byte Stuffing off: frames have no zeros, and a zero ends each of them.

    Whatever came before, what follows a zero is a frame of its own: noise costs the frame that it is in, no other.
    Nothing between two zeros is no frame. A frame that ends within a block is not ``whole``.

    Each byte of ``i`` gives a byte, an ``end``, or nothing. ``latency`` = 1 cycle; ``throughput`` = 1 byte a cycle.
    ``o`` is a register; ``i.ready`` depends on ``o.ready`` in the same cycle.

    Source: S. Cheshire, M. Baker, "Consistent Overhead Byte Stuffing", IEEE/ACM Transactions on Networking 7(2), 1999.

    Members
    -------
    i: stream of bytes; o: stream of `framed_layout`
    """

    latency = 1
    throughput = 1

    def __init__(self) -> None:
        members = {"i": In(stream.Signature(8)), "o": Out(stream.Signature(framed_layout()))}
        super().__init__("cobs_decode", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        byte = self.i.payload
        left = Signal(8)  # bytes of the block to come
        begun, zero_due = Signal(), Signal()
        valid = Signal()
        item = Signal(framed_layout(), name="item", reset_less=True)
        m.d.comb += [
            self.i.ready.eq(~valid | self.o.ready),
            self.o.valid.eq(valid),
            self.o.payload.eq(item),
        ]
        with m.If(self.i.ready):
            m.d.sync += valid.eq(0)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [item.byte.eq(byte), item.end.eq(0), item.whole.eq(0), begun.eq(1)]
            with m.If(byte == 0):
                m.d.sync += [valid.eq(begun), item.end.eq(1), item.whole.eq(left == 0)]
                m.d.sync += [begun.eq(0), left.eq(0), zero_due.eq(0)]
            with m.Elif(left == 0):
                m.d.sync += [valid.eq(zero_due), item.byte.eq(0)]
                m.d.sync += [left.eq(byte - 1), zero_due.eq(byte != LONGEST)]
            with m.Else():
                m.d.sync += [valid.eq(1), left.eq(left - 1)]
        return m
