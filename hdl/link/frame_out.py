"""Frames to be sent."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.link.frame import HEAD, HEADER_BYTES
from tilewright.hdl.link.frame_check import FrameCheck
from tilewright.hdl.link.framed import framed_layout
from tilewright.hdl.structure import Block, data_register, named, place


class FrameOut(Block):
    """Puts a header in front of a payload and a CRC behind it.

    ``payload`` gives the ``length`` bytes of a frame after ``frame`` has told of it, at any pace. Bytes leave from a
    register, which takes the next when it is empty: ``throughput`` = 1/2 byte a cycle, far more than the line's.

    Members
    -------
    frame: stream of `HEAD`; payload: stream of bytes; o: stream of `framed_layout`
    """

    throughput = 1 / 2

    def __init__(self) -> None:
        members = {
            "frame": In(stream.Signature(HEAD)),
            "payload": In(stream.Signature(8)),
            "o": Out(stream.Signature(framed_layout())),
        }
        super().__init__("frame_out", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.crc = place(platform, crc := FrameCheck())
        frame, byte = self.frame.payload, Signal(8)
        at, left = Signal(2), Signal(8)
        full, given, covered, ends = Signal(), Signal(), Signal(), Signal()
        takes = named(m, given & ~full, "takes")
        m.d.comb += [
            self.o.valid.eq(full),
            self.o.payload.byte.eq(data_register(m, byte, "register", enable=~full)),
            self.o.payload.end.eq(data_register(m, ends, "end", enable=~full)),
            self.o.payload.whole.eq(self.o.payload.end),
            crc.data.eq(self.o.payload.byte),
        ]
        # A byte counts for the CRC in the first cycle in which it is in the register, so before the next is asked for.
        m.d.sync += [full.eq(Mux(full, ~self.o.ready, given)), crc.valid.eq(takes & covered)]
        with m.FSM(name="state"):
            with m.State("START"):
                m.d.comb += crc.start.eq(1)
                m.d.sync += at.eq(0)
                with m.If(self.frame.valid):
                    m.next = "HEADER"
            with m.State("HEADER"):
                m.d.comb += [
                    given.eq(1),
                    byte.eq(Array((frame.sequence, frame.operation, frame.detail, frame.length))[at]),
                    covered.eq(1),
                    self.frame.ready.eq(takes & (at == HEADER_BYTES - 1)),
                ]
                m.d.sync += left.eq(frame.length)
                with m.If(takes):
                    m.d.sync += at.eq(at + 1)
                    with m.If(at == HEADER_BYTES - 1):
                        m.next = "PAYLOAD"
                        with m.If(frame.length == 0):
                            m.next = "CRC"
            with m.State("PAYLOAD"):
                m.d.comb += [
                    given.eq(self.payload.valid),
                    self.payload.ready.eq(~full),
                    byte.eq(self.payload.payload),
                    covered.eq(1),
                ]
                with m.If(takes):
                    m.d.sync += left.eq(left - 1)
                    with m.If(left == 1):
                        m.next = "CRC"
            for state, part, following in (("CRC", crc.crc[8:], "CRC_LOW"), ("CRC_LOW", crc.crc[:8], "END")):
                with m.State(state):
                    m.d.comb += [given.eq(1), byte.eq(part)]
                    with m.If(takes):
                        m.next = following
            with m.State("END"):
                m.d.comb += [given.eq(1), ends.eq(1)]
                with m.If(takes):
                    m.next = "START"
        return m
