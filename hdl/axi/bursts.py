"""Pieces of memory to bursts."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, ShapeLike, Signal, Value, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import bits_for, exact_log2

from tilewright.hdl.axi.parameters import check_bus
from tilewright.hdl.axi.signatures import LARGEST_BURST, PAGE
from tilewright.hdl.stream.beat import payload_name
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.stream.credit import Credit
from tilewright.hdl.structure import Block, named, place


def span_layout(address_bits: int, bytes_bits: int, side: ShapeLike) -> data.StructLayout:
    """``bytes`` bytes of memory, at least 1, from ``address``; or none where ``none`` is set. ``side`` goes along."""
    return data.StructLayout(
        {"address": unsigned(address_bits), "bytes": unsigned(bytes_bits), "none": unsigned(1), "side": side}
    )


def burst_layout(address_bits: int, side: ShapeLike) -> data.StructLayout:
    """A burst of ``len + 1`` beats from ``addr``, a multiple of a beat; or none. ``final``: no more of its span."""
    return data.StructLayout(
        {
            "addr": unsigned(address_bits),
            "len": unsigned(8),
            "none": unsigned(1),
            "final": unsigned(1),
            "side": side,
        }
    )


class Bursts(Block):
    """Cuts spans into the fewest bursts that cross no boundary of 4096 bytes and have at most ``max_burst`` beats.

    A span touches a beat of the bus, of ``bus_bits``, when it has a byte there. One without bytes (``none``) comes out
    as one payload with ``none``, in its place. Not more than ``outstanding`` bursts are given that are not ``done``.

    Latency ``latency`` = 3 cycles, ``throughput`` = 1 burst a cycle, without a gap between spans. ``i.ready``,
    ``o.valid`` and ``o.payload`` are registers.

    Members
    -------
    i, o: streams of `span_layout`, `burst_layout`
    done: a burst has been answered
    """

    latency = 3
    throughput = 1

    def __init__(
        self, address_bits: int, bus_bits: int, max_burst: int, outstanding: int, *, bytes_bits: int, side: ShapeLike
    ) -> None:
        check_bus(bus_bits, address_bits, max_burst, outstanding)
        self.address_bits, self.bus_bits, self.max_burst = address_bits, bus_bits, max_burst
        self.outstanding, self.bytes_bits = outstanding, bytes_bits
        self.span, self.burst = span_layout(address_bits, bytes_bits, side), burst_layout(address_bits, side)
        name = f"bursts_{bus_bits}_{address_bits}_{max_burst}x{outstanding}_{bytes_bits}_{payload_name(side)}"
        members = {"i": In(stream.Signature(self.span)), "o": Out(stream.Signature(self.burst)), "done": In(1)}
        super().__init__(name, members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.buffer = place(platform, buffer := Buffer(self.burst))
        m.submodules.credit = place(platform, credit := Credit(self.outstanding))
        low = exact_log2(self.bus_bits // 8)
        page = PAGE >> low
        span = self.i.payload
        # Beats of a span of the most bytes, anywhere in its first beat.
        beats_bits = bits_for(((1 << self.bytes_bits) - 1 + (1 << low) - 1 + (1 << low) - 1) >> low)

        waiting, running = Signal(), Signal()
        following, current = (Signal(self._state(beats_bits, low), name=n, reset_less=True) for n in ("next", "at"))
        touched = named(m, span.address[:low] + span.bytes + ((1 << low) - 1), "touched")

        largest = min(self.max_burst, page, LARGEST_BURST)
        to_page = named(m, page - current.beat[: exact_log2(page)], "to_page")
        allowed = named(m, Mux(to_page < largest, to_page, Const(largest)), "allowed")
        final = named(m, current.none | (current.beats <= allowed), "final")
        count = named(m, Mux(final, current.beats, allowed)[: bits_for(largest)], "count")
        given = named(m, running & buffer.i.ready & (current.none | credit.available), "given")
        start = named(m, waiting & (~running | (given & final)), "start")
        m.d.comb += [
            buffer.i.valid.eq(running & (current.none | credit.available)),
            buffer.i.payload.addr.eq(Cat(Const(0, low), current.beat)),
            buffer.i.payload.len.eq(count - 1),
            buffer.i.payload.none.eq(current.none),
            buffer.i.payload.final.eq(final),
            buffer.i.payload.side.eq(current.side),
            credit.take.eq(given & ~current.none),
            credit.give.eq(self.done),
        ]
        with m.If(start):
            m.d.sync += [running.eq(1), current.eq(following), waiting.eq(0)]
        with m.Elif(given):
            m.d.sync += [
                running.eq(~final),
                current.beat.eq(current.beat + count),
                current.beats.eq(current.beats - count),
            ]
        with m.If(self.i.valid & (~waiting | start)):
            m.d.sync += [
                waiting.eq(1),
                following.beat.eq(span.address[low:]),
                following.beats.eq(touched[low:]),
                following.none.eq(span.none),
                following.side.eq(span.side),
            ]
        m.d.comb += self.i.ready.eq(~waiting | start)
        connect(m, buffer.o, flipped(self.o))
        return m

    def _state(self, beats_bits: int, low: int) -> Value:
        """What is left of a span: the beat of memory that comes next, and the number of beats."""
        return data.StructLayout(
            {
                "beat": unsigned(self.address_bits - low),
                "beats": unsigned(beats_bits),
                "none": unsigned(1),
                "side": self.span["side"].shape,
            }
        )
