"""Where packets come in."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.structure import Block, named

_MOST = 8
"""Packets that are wanted at once, at most; movers want fewer."""


class PacketEntry(Block):
    """Lets in packets that are wanted, and ends each one that it has begun, whatever becomes of the run.

    A packet is let in when it is wanted, one for each cycle with ``want``, never before: what is not wanted stays where
    it is. While ``drop`` is high nothing is wanted; beats of a packet that has begun are taken and dropped up to its
    last one, with ``spill`` those of all packets. ``forget`` ends a packet at once: what comes next begins one. No
    latency: ``o`` and ``i.ready`` are functions of the other side, of ``drop``, ``spill`` and of registers.

    Members
    -------
    i, o: streams of beats of ``bus_bytes`` bytes; want, drop, spill, forget: see above
    open: a packet is wanted, or has begun and not ended; beat: a beat was taken in the cycle before
    """

    def __init__(self, bus_bytes: int) -> None:
        beats = stream.Signature(beat_layout(bus_bytes, 8))
        members = {"i": In(beats), "o": Out(beats), "want": In(1), "drop": In(1), "spill": In(1)}
        super().__init__(f"packet_entry_{bus_bytes}", members | {"forget": In(1), "open": Out(1), "beat": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        wanted = Signal(range(_MOST + 1))
        begun = Signal()
        lets = named(m, wanted.any() & ~self.drop, "lets")
        taken = named(m, self.i.valid & self.i.ready, "taken")
        ends = named(m, taken & self.i.payload.last, "ends")
        m.d.comb += [
            self.i.ready.eq(Mux(self.drop, begun | self.spill, lets & self.o.ready)),
            self.o.valid.eq(self.i.valid & lets),
            self.o.payload.eq(self.i.payload),
            self.open.eq(begun | lets),
        ]
        m.d.sync += [wanted.eq(Mux(self.drop, 0, wanted + self.want - ends)), self.beat.eq(taken)]
        with m.If(taken):
            m.d.sync += begun.eq(~self.i.payload.last)
        with m.If(self.forget):
            m.d.sync += begun.eq(0)
        return m
