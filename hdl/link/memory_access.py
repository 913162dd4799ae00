"""A memory behind a link."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, unsigned
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from tilewright.hdl.axi.block_memory import beat_access_layout
from tilewright.hdl.link.access import MEMORY_ANSWER, MEMORY_REQUEST, Access
from tilewright.hdl.structure import Block, data_register, named


class MemoryAccess(Block):
    """Reads and writes beats of a memory that follow each other: an answer to each request, refusals included.

    A request to write takes its beats from ``written``, and is answered behind the last; one to read gives its beats to
    ``read``, and is answered behind them. One whose address is no multiple of a beat, or that has a beat beyond the
    memory, changes nothing: what is to be written is taken and dropped, nothing is read. A beat that is written takes 1
    cycle, one that is read 3, where memory and link take and give at once.

    Parameters
    ----------
    size: int
        Bytes of the memory, a power of two of beats.
    data_bits: int
        Of a beat, 8 times a power of two.

    Members
    -------
    request: stream of `MEMORY_REQUEST`; answer: stream of `MEMORY_ANSWER`
    written, read: streams of beats
    access: stream of `beat_access_layout`, to the memory; found: the beat that was read, in the cycle after
    """

    def __init__(self, size: int, data_bits: int) -> None:
        self.size, self.data_bits = size, data_bits
        self.low = exact_log2(data_bits // 8)
        self.beat_bits = exact_log2(size) - self.low
        super().__init__(
            f"memory_access_{size}x8_{data_bits}",
            {
                "request": In(stream.Signature(MEMORY_REQUEST)),
                "answer": Out(stream.Signature(MEMORY_ANSWER)),
                "written": In(stream.Signature(unsigned(data_bits))),
                "read": Out(stream.Signature(unsigned(data_bits))),
                "access": Out(stream.Signature(beat_access_layout(self.beat_bits, data_bits))),
                "found": In(unsigned(data_bits)),
            },
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        asked, access = self.request.payload, self.access.payload
        beat = Signal(self.beat_bits, reset_less=True)
        left = Signal(asked.beats.shape(), reset_less=True)
        status = Signal(Access)
        finding = Signal()
        refused = named(m, status != Access.DONE, "refused")
        m.d.comb += [
            access.beat.eq(beat),
            access.data.eq(self.written.payload),
            self.read.payload.eq(data_register(m, self.found, "held", enable=finding)),
            self.answer.payload.status.eq(status),
        ]
        with m.FSM(name="state"):
            with m.State("IDLE"):
                m.d.comb += self.request.ready.eq(1)
                m.d.sync += [
                    beat.eq(asked.address[self.low :]),
                    left.eq(asked.beats),
                    status.eq(self._objection(asked.address, asked.beats)),
                ]
                with m.If(self.request.valid):
                    m.next = "READ"
                    with m.If(asked.write):
                        m.next = "WRITE"
            with m.State("WRITE"):
                more = named(m, left != 0, "more_to_write")
                moves = named(m, self.written.valid & self.written.ready, "writes")
                m.d.comb += [
                    access.write.eq(1),
                    self.access.valid.eq(self.written.valid & more & ~refused),
                    self.written.ready.eq(more & (self.access.ready | refused)),
                ]
                m.d.sync += [beat.eq(beat + moves), left.eq(left - moves)]
                with m.If(~more):
                    m.next = "ANSWER"
            with m.State("READ"):
                ended = named(m, (left == 0) | refused, "no_more_to_read")
                m.d.comb += self.access.valid.eq(~ended)
                with m.If(ended):
                    m.next = "ANSWER"
                with m.Elif(self.access.ready):
                    m.d.sync += [beat.eq(beat + 1), left.eq(left - 1)]
                    m.next = "FIND"
            with m.State("FIND"):
                m.d.comb += finding.eq(1)
                m.next = "GIVE"
            with m.State("GIVE"):
                m.d.comb += self.read.valid.eq(1)
                with m.If(self.read.ready):
                    m.next = "READ"
            with m.State("ANSWER"):
                m.d.comb += self.answer.valid.eq(1)
                with m.If(self.answer.ready):
                    m.next = "IDLE"
        return m

    def _objection(self, address: Value, beats: Value) -> Value:
        """What is wrong with a request."""
        beyond = (address >> self.low) + beats > self.size >> self.low
        unaligned = address[: self.low].any()
        return Mux(unaligned, Access.UNALIGNED, Mux(beyond, Access.BEYOND, Access.DONE))
