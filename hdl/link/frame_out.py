"""Frames to be sent."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.link.frame import HEAD, HEADER_BYTES
from tilewright.hdl.link.frame_check import FrameCheck
from tilewright.hdl.link.framed import framed_layout
from tilewright.hdl.structure import Block, place


class FrameOut(Block):
    """Puts a header in front of a payload and a CRC behind it.

    ``payload`` gives the ``length`` bytes of a frame after ``frame`` has told of it, at any pace. ``throughput`` = 1
    byte a cycle.

    Members
    -------
    frame: stream of `HEAD`; payload: stream of bytes; o: stream of `framed_layout`
    """

    throughput = 1

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
        frame, item = self.frame.payload, self.o.payload
        at, left = Signal(2), Signal(8)
        moves = self.o.valid & self.o.ready
        m.d.comb += crc.data.eq(item.byte)
        with m.FSM(name="state"):
            with m.State("START"):
                m.d.comb += crc.start.eq(1)
                m.d.sync += at.eq(0)
                with m.If(self.frame.valid):
                    m.next = "HEADER"
            with m.State("HEADER"):
                m.d.comb += [
                    self.o.valid.eq(1),
                    item.byte.eq(Array((frame.sequence, frame.operation, frame.detail, frame.length))[at]),
                    crc.valid.eq(moves),
                    self.frame.ready.eq(moves & (at == HEADER_BYTES - 1)),
                ]
                m.d.sync += left.eq(frame.length)
                with m.If(moves):
                    m.d.sync += at.eq(at + 1)
                    with m.If(at == HEADER_BYTES - 1):
                        m.d.sync += at.eq(0)
                        m.next = "PAYLOAD"
                        with m.If(frame.length == 0):
                            m.next = "CRC"
            with m.State("PAYLOAD"):
                m.d.comb += [
                    self.o.valid.eq(self.payload.valid),
                    self.payload.ready.eq(self.o.ready),
                    item.byte.eq(self.payload.payload),
                    crc.valid.eq(moves),
                ]
                with m.If(moves):
                    m.d.sync += left.eq(left - 1)
                    with m.If(left == 1):
                        m.next = "CRC"
            for state, byte, following in (("CRC", crc.crc[8:], "CRC_LOW"), ("CRC_LOW", crc.crc[:8], "END")):
                with m.State(state):
                    m.d.comb += [self.o.valid.eq(1), item.byte.eq(byte)]
                    with m.If(moves):
                        m.next = following
            with m.State("END"):
                m.d.comb += [self.o.valid.eq(1), item.end.eq(1), item.whole.eq(1)]
                with m.If(moves):
                    m.next = "START"
        return m
