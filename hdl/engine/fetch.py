"""Reads the program."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.axi.signatures import read_signature
from tilewright.hdl.engine.records import INSTRUCTION_BITS
from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.structure import Block, named, place


class Fetch(Block):
    """Reads ``count`` instructions of 64 bytes from ``address`` on, a multiple of 64, and gives them in order.

    Runs up to ``depth`` instructions (a power of two) ahead. A burst is an instruction, or the largest power of two of
    beats within ``max_burst`` of one that is longer, so that none crosses a page. From ``start`` to the first
    instruction: memory latency + 4 cycles; then one each ``max(1, INSTRUCTION_BITS / data_bits)`` cycles.

    Members
    -------
    start: begins with ``address`` and ``count``; stop: no further burst is asked for
    memory: AR and R; o: stream of instructions; o waits while ``hold``
    error: a response was not OKAY, told in that cycle with ``response``; such an instruction is not given
    idle: nothing is asked for or awaited; done: all instructions have been given, or ``stop``
    """

    def __init__(self, address_bits: int, data_bits: int, max_burst: int, depth: int) -> None:
        self.address_bits, self.data_bits, self.depth = address_bits, data_bits, depth
        self.beats = INSTRUCTION_BITS // data_bits
        self.burst = min(self.beats, 1 << (max_burst.bit_length() - 1))
        super().__init__(
            f"fetch_{address_bits}x{data_bits}_{self.burst}_{depth}",
            {
                "start": In(1),
                "address": In(address_bits),
                "count": In(32),
                "stop": In(1),
                "memory": Out(read_signature(address_bits, data_bits)),
                "o": Out(stream.Signature(INSTRUCTION_BITS)),
                "error": Out(1),
                "response": Out(2),
                "idle": Out(1),
                "done": Out(1),
            },
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.queue = place(platform, queue := Queue("instructions", INSTRUCTION_BITS, self.depth))
        ar, r = self.memory.ar, self.memory.r
        bursts = self.beats // self.burst
        address = Signal(self.address_bits, reset_less=True)
        left = Signal(32 + (bursts - 1).bit_length())
        under_way = Signal(range(self.depth + 1))
        part = Signal(range(max(bursts, 2)))
        asked = named(m, ar.valid & ar.ready, "asked")
        begins = named(m, asked & (part == 0), "begins")
        whole = Signal()
        offered = Signal()
        # An instruction has a place in the queue before it is asked for; a burst once offered stays.
        m.d.comb += [
            ar.valid.eq(offered),
            ar.payload.addr.eq(address),
            ar.payload.len.eq(self.burst - 1),
        ]
        room = named(m, (under_way != self.depth) | (part != 0), "room")
        more = named(m, (left != 0) & ~self.stop, "more")
        with m.If(self.start):
            m.d.sync += [address.eq(self.address), left.eq(self.count << (bursts - 1).bit_length()), part.eq(0)]
        with m.Elif(asked):
            m.d.sync += [address.eq(address + self.burst * self.data_bits // 8), left.eq(left - 1)]
            if bursts > 1:
                m.d.sync += part.eq(part + 1)
        with m.If(asked):
            m.d.sync += offered.eq(0)
        with m.Elif(more & room & ~self.start):
            m.d.sync += offered.eq(1)
        taken = named(m, self.o.valid & self.o.ready, "taken")
        m.d.sync += under_way.eq(under_way + begins - (taken | whole))

        index = Signal(range(max(self.beats, 2)))
        failed = Signal()
        beat = named(m, r.valid & r.ready, "beat")
        bad = named(m, r.payload.resp[1], "bad")
        last = named(m, (index == self.beats - 1) if self.beats > 1 else Cat(1), "last_beat")
        held = Signal(INSTRUCTION_BITS, reset_less=True)
        word = Cat(held, r.payload.data)[self.data_bits :] if self.beats > 1 else r.payload.data
        with m.If(beat):
            m.d.sync += [held.eq(word), failed.eq((failed | bad) & ~last)]
            if self.beats > 1:
                m.d.sync += index.eq(Mux(last, 0, index + 1))
        ruined = named(m, bad | failed | self.stop, "ruined")
        awaited = Signal(range(self.depth * bursts + 1))
        m.d.sync += awaited.eq(awaited + asked - (beat & r.payload.last))
        m.d.comb += [
            r.ready.eq(1),
            whole.eq(beat & last & ruined),
            queue.i.valid.eq(beat & last & ~ruined),
            queue.i.payload.eq(word),
            self.error.eq(beat & bad),
            self.response.eq(r.payload.resp),
            self.o.valid.eq(queue.o.valid),
            self.o.payload.eq(queue.o.payload),
            queue.o.ready.eq(self.o.ready),
            self.idle.eq(~offered & (awaited == 0)),
            self.done.eq(~more & self.idle & ~queue.o.valid),
        ]
        return m
