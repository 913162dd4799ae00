"""Frames into a stream of bytes."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.link.framed import framed_layout
from tilewright.hdl.memory import Ram
from tilewright.hdl.structure import Block, named, place

MOST = 253
"""Bytes of a frame: a block has room for them, so that what each block begins with is known when it ends."""
ROOM = 256
"""Bytes from where one frame is kept to where the other one is."""


class CobsEncode(Block):
    """The other way round of `CobsDecode`: frames of 1 to ``MOST`` = 253 bytes, a zero in front of each and one behind.

    A frame is kept until its ``end`` has come, and then sent: a frame of n bytes takes n + 2 cycles to come and n + 3
    bytes to send. While it is sent the next one comes, so that frames which come in time leave without a pause between
    them. One that comes without ``whole`` is forgotten, and so is an empty one. Bytes beyond the 253rd must not come.
    ``o`` is valid from 3 cycles after the end on.

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
        m.submodules.kept = place(platform, kept := Ram(2 * ROOM, 8))
        second, last = Signal(), Signal(8)  # which of the two comes, and where the one that is sent ends
        came, sends = Signal(), Signal()  # a frame has come whole; it begins to be sent
        self._collect(m, kept, second, last, came, sends)
        address, sent = Signal(8), Signal()
        with m.FSM(name="sender"):
            with m.State("IDLE"):
                m.d.comb += sends.eq(came)
                m.d.sync += [address.eq(0), sent.eq(second)]
                with m.If(came):
                    m.next = "FRONT"
            with m.State("FRONT"):
                m.d.comb += [self.o.valid.eq(1), kept.read_enable.eq(1)]
                with m.If(self.o.ready):
                    m.d.sync += address.eq(1)
                    m.next = "SEND"
            with m.State("SEND"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(kept.read_data), kept.read_enable.eq(self.o.ready)]
                with m.If(self.o.ready):
                    m.d.sync += address.eq(address + 1)
                    with m.If(address == last):
                        m.next = "BEHIND"
            with m.State("BEHIND"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    m.next = "IDLE"
        m.d.comb += kept.read_address.eq(Cat(address, sent))
        return m

    def _collect(self, m: Module, kept: Ram, second: Signal, last: Signal, came: Signal, sends: Signal) -> None:
        """Bytes come, and the code of a block when its end is known, until a frame has come whole."""
        item = self.i.payload
        code, at = Signal(8), Signal(8, init=1)  # where the code of the block goes, and the next byte
        length = named(m, (at - code)[:8], "length")
        taken = named(m, self.i.valid & self.i.ready, "taken")
        closes = named(m, item.end | (item.byte == 0), "closes")
        m.d.comb += [
            self.i.ready.eq(~came),
            kept.write_enable.eq(taken),
            kept.write_address.eq(Cat(Mux(closes, code, at), second)),
            kept.write_data.eq(Mux(closes, length, item.byte)),
        ]
        good = named(m, item.whole & (at != 1), "good")
        with m.If(taken & item.end):
            m.d.sync += [code.eq(0), came.eq(good)]
            with m.If(~good):
                m.d.sync += at.eq(1)
        with m.Elif(taken):
            m.d.sync += at.eq(at + 1)
            with m.If(closes):
                m.d.sync += code.eq(at)
        with m.If(sends):
            m.d.sync += [came.eq(0), last.eq(at), at.eq(1), second.eq(~second)]
