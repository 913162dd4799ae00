"""Frames into a stream of bytes."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.link.framed import framed_layout
from tilewright.hdl.memory import Ram
from tilewright.hdl.structure import Block, named, place

MOST = 253
"""Bytes of a frame: a block has room for them, so that what each block begins with is known when it ends."""
DEPTH = 256


class CobsEncode(Block):
    """The other way round of `CobsDecode`: frames of 1 to ``MOST`` = 253 bytes, a zero in front of each and one behind.

    A frame is kept until its ``end`` has come, and then sent: a frame of n bytes takes n + 2 cycles to come and n + 3
    bytes to send, and while it is sent the next one waits. One that comes without ``whole`` is forgotten, and so is an
    empty one. Bytes beyond the 253rd must not come. ``o`` is valid from 2 cycles after the end on.

    Members
    -------
    i: stream of `framed_layout`; o: stream of bytes
    """

    throughput = 1

    def __init__(self) -> None:
        members = {"i": In(stream.Signature(framed_layout())), "o": Out(stream.Signature(8))}
        super().__init__("cobs_encode", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.kept = place(platform, kept := Ram(DEPTH, 8))
        item = self.i.payload
        code, at = Signal(8), Signal(8, init=1)  # where the code of the block goes, and the next byte
        length = named(m, (at - code)[:8], "length")
        address, last = Signal(8), Signal(8)
        taken = named(m, self.i.valid & self.i.ready, "taken")
        with m.FSM(name="state"):
            with m.State("COLLECT"):
                m.d.comb += self.i.ready.eq(1)
                closes = named(m, item.end | (item.byte == 0), "closes")
                m.d.comb += [
                    kept.write_enable.eq(taken),
                    kept.write_address.eq(Mux(closes, code, at)),
                    kept.write_data.eq(Mux(closes, length, item.byte)),
                ]
                with m.If(taken):
                    m.d.sync += at.eq(at + 1)
                    with m.If(closes):
                        m.d.sync += code.eq(at)
                    with m.If(item.end):
                        m.d.sync += [last.eq(at), address.eq(0), code.eq(0), at.eq(1)]
                        with m.If(item.whole & (at != 1)):
                            m.next = "FRONT"
            with m.State("FRONT"):
                m.d.comb += [self.o.valid.eq(1), kept.read_enable.eq(1), kept.read_address.eq(0)]
                with m.If(self.o.ready):
                    m.d.sync += address.eq(1)
                    m.next = "SEND"
            with m.State("SEND"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(kept.read_data)]
                m.d.comb += [kept.read_enable.eq(self.o.ready), kept.read_address.eq(address)]
                with m.If(self.o.ready):
                    m.d.sync += address.eq(address + 1)
                    with m.If(address == last):
                        m.next = "BEHIND"
            with m.State("BEHIND"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    m.next = "COLLECT"
        return m
