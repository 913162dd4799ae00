"""Frames, checked before anything of them is seen."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.link.frame import CRC_BYTES, FRAME, HEADER_BYTES, MOST_PAYLOAD, Fault
from tilewright.hdl.link.frame_check import FrameCheck
from tilewright.hdl.link.framed import framed_layout
from tilewright.hdl.memory import Ram
from tilewright.hdl.structure import Block, data_register, named, place

MOST = HEADER_BYTES + MOST_PAYLOAD + CRC_BYTES
DEPTH = 256


class FrameIn(Block):
    """Collects the bytes of a frame, checks them, and tells of it: header, fault, then the payload byte by byte.

    ``frame`` is valid from 4 cycles after the ``end`` of ``i`` on. Until it is taken it gives, one without a fault, its
    ``length`` bytes at ``payload``, and the next frame waits. One with a fault gives none.

    Members
    -------
    i: stream of `framed_layout`; frame: stream of `FRAME`; payload: stream of bytes
    """

    def __init__(self) -> None:
        members = {
            "i": In(stream.Signature(framed_layout())),
            "frame": Out(stream.Signature(FRAME)),
            "payload": Out(stream.Signature(8)),
        }
        super().__init__("frame_in", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.kept = place(platform, kept := Ram(DEPTH, 8))
        m.submodules.crc = place(platform, crc := FrameCheck())
        item = self.i.payload
        count = Signal(range(MOST + 2))  # bytes that have come; one more than there may be stands for all above
        header = [Signal(8, name=f"header_{index}") for index in range(HEADER_BYTES)]
        whole = Signal()
        fault = data_register(m, self._fault(whole, count, crc.agrees, header[-1]), "fault")
        taken = named(m, self.i.valid & self.i.ready, "taken")
        byte = named(m, taken & ~item.end, "comes")
        m.d.comb += [
            crc.data.eq(item.byte),
            crc.valid.eq(byte),
            kept.write_enable.eq(byte),
            kept.write_address.eq(count),
            kept.write_data.eq(item.byte),
            self.frame.payload.head.eq(Cat(header)),
            self.frame.payload.fault.eq(fault),
            self.payload.payload.eq(kept.read_data),
        ]
        address, left, some = Signal(8), Signal(8), Signal()
        with m.FSM(name="state"):
            with m.State("START"):
                m.d.comb += crc.start.eq(1)
                m.d.sync += [count.eq(0), *(field.eq(0) for field in header)]
                m.next = "COLLECT"
            with m.State("COLLECT"):
                m.d.comb += self.i.ready.eq(1)
                with m.If(byte):
                    m.d.sync += count.eq(Mux(count == MOST + 1, count, count + 1))
                    for index, field in enumerate(header):
                        with m.If(count == index):
                            m.d.sync += field.eq(item.byte)
                with m.If(taken & item.end):
                    m.d.sync += whole.eq(item.whole)
                    m.next = "CHECK"
            with m.State("CHECK"):
                m.next = "TELL"
            with m.State("TELL"):
                m.d.comb += [kept.read_enable.eq(1), kept.read_address.eq(HEADER_BYTES)]
                m.d.sync += [address.eq(HEADER_BYTES + 1), left.eq(header[-1])]
                m.d.sync += some.eq((fault == Fault.NONE.value) & (header[-1] != 0))
                m.next = "GIVE"
            with m.State("GIVE"):
                m.d.comb += [
                    self.frame.valid.eq(1),
                    self.payload.valid.eq(some),
                    kept.read_enable.eq(self.payload.ready),
                    kept.read_address.eq(address),
                ]
                with m.If(self.payload.valid & self.payload.ready):
                    m.d.sync += [address.eq(address + 1), left.eq(left - 1), some.eq(left != 1)]
                with m.If(self.frame.ready):
                    m.next = "START"
        return m

    @staticmethod
    def _fault(whole: Signal, count: Signal, matches: Any, length: Signal) -> Any:
        """The first of the faults that a frame has."""
        few = count < HEADER_BYTES + CRC_BYTES
        other = count != length + (HEADER_BYTES + CRC_BYTES)
        fault: Any = Mux(other, Fault.LENGTH.value, Fault.NONE.value)
        fault = Mux(matches, fault, Fault.CRC.value)
        fault = Mux(count > MOST, Fault.LONG.value, fault)
        return Mux(~whole | few, Fault.CUT.value, fault)
