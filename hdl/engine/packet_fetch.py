"""Takes the program from a stream."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.engine.packet_faults import PacketFault, packet_fault
from tilewright.hdl.engine.records import INSTRUCTION_BITS
from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.structure import Block, named, place


class PacketFetch(Block):
    """Makes instructions of a packet of ``count`` times 64 bytes, and gives them in order.

    Takes up to ``depth`` instructions (a power of two) ahead. Latency from the last beat of an instruction to ``o``: 1
    cycle. A beat with a fault is the last one of which anything is made.

    Members
    -------
    start: begins with ``count``; packet: stream of beats; o: stream of instructions
    wants: a packet of a program is wanted; done: all instructions have been given
    fault: what was wrong with a beat, told a cycle later
    """

    latency = 1

    def __init__(self, bus_bytes: int, depth: int) -> None:
        self.bus_bytes, self.depth = bus_bytes, depth
        self.beats = INSTRUCTION_BITS // (8 * bus_bytes)
        members = {"start": In(1), "count": In(32), "packet": In(stream.Signature(beat_layout(bus_bytes, 8)))}
        members |= {"o": Out(stream.Signature(INSTRUCTION_BITS))}
        super().__init__(
            f"packet_fetch_{bus_bytes}_{depth}", members | {"wants": Out(1), "done": Out(1), "fault": Out(PacketFault)}
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.queue = place(platform, queue := Queue("instructions", INSTRUCTION_BITS, self.depth))
        connect(m, queue.o, flipped(self.o))
        left, index = Signal(32), Signal(range(max(self.beats, 2)))
        beat = self.packet.payload
        last = named(m, (index == self.beats - 1) if self.beats > 1 else Cat(1), "last_beat")
        taken = named(m, self.packet.valid & self.packet.ready, "taken")
        ruined = Signal()
        fault = packet_fault(m, beat, last & (left == 1), Const((1 << self.bus_bytes) - 1, self.bus_bytes))
        held = Signal(INSTRUCTION_BITS, reset_less=True)
        word = Cat(held, beat.data)[8 * self.bus_bytes :] if self.beats > 1 else beat.data
        m.d.sync += [self.wants.eq(self.start & self.count.any()), self.fault.eq(Mux(taken & ~ruined, fault, 0))]
        with m.If(self.start):
            m.d.sync += left.eq(self.count)
        with m.If(taken):
            m.d.sync += [
                held.eq(word),
                index.eq(Mux(last, 0, index + 1)),
                left.eq(left - last),
                ruined.eq(ruined | (fault != PacketFault.NONE)),
            ]
        m.d.comb += [
            self.packet.ready.eq(queue.i.ready & left.any()),
            queue.i.valid.eq(taken & last & ~ruined & (fault == PacketFault.NONE)),
            queue.i.payload.eq(word),
            self.done.eq(~left.any() & ~queue.o.valid),
        ]
        return m
