"""Where packets go out."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.structure import Block, named, place


class PacketExit(Block):
    """Lets packets out; ends each one that it has begun, whatever becomes of the run.

    While ``cut`` is high nothing is taken any more, and a packet that has begun is given one more beat: one byte, 0,
    with ``last``. Latency ``latency`` = 1 cycle, ``throughput`` = 1 beat a cycle. ``o`` is a register.

    Members
    -------
    i, o: streams of beats of ``bus_bytes`` bytes; cut: see above
    open: a packet has begun, or a beat waits; gone: the last beat of a packet is taken in this cycle
    beat: a beat was taken in the cycle before; waits: one is not taken in this cycle
    """

    latency = 1
    throughput = 1

    def __init__(self, bus_bytes: int) -> None:
        self.bus_bytes = bus_bytes
        beats = stream.Signature(beat_layout(bus_bytes, 8))
        members = {"i": In(beats), "o": Out(beats), "cut": In(1)}
        members |= {"open": Out(1), "gone": Out(1), "beat": Out(1), "waits": Out(1)}
        super().__init__(f"packet_exit_{bus_bytes}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.buffer = place(platform, buffer := Buffer(beat_layout(self.bus_bytes, 8)))
        connect(m, buffer.o, flipped(self.o))
        begun = Signal()
        inner = buffer.i.payload
        m.d.comb += [
            self.i.ready.eq(buffer.i.ready & ~self.cut),
            buffer.i.valid.eq(Mux(self.cut, begun, self.i.valid)),
            inner.data.eq(Mux(self.cut, 0, self.i.payload.data)),
            inner.keep.eq(Mux(self.cut, 1, self.i.payload.keep)),
            inner.last.eq(Value.cast(self.i.payload.last) | self.cut),
        ]
        with m.If(buffer.i.valid & buffer.i.ready):
            m.d.sync += begun.eq(~inner.last)
        taken = named(m, self.o.valid & self.o.ready, "taken")
        m.d.sync += self.beat.eq(taken)
        m.d.comb += [
            self.open.eq(begun | self.o.valid),
            self.gone.eq(taken & self.o.payload.last),
            self.waits.eq(self.o.valid & ~self.o.ready),
        ]
        return m
