"""Beats of streams to bytes and back, as the link carries them: one port at a time, in logic that all ports share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value, ValueLike
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block, data_register, named


def bytes_of(width: int) -> int:
    """Bytes of a beat of ``width`` bits."""
    return -(-width // 8)


def chosen(values: Sequence[ValueLike], number: Value) -> Value:
    """That of ``values`` whose place ``number`` tells, through a tree of multiplexers; any of them beyond the last."""
    level: list[ValueLike] = list(values)
    for bit in number[: (len(level) - 1).bit_length()]:
        pairs = zip(level[::2], [*level[1::2], level[-1]], strict=False)
        level = [Mux(bit, odd, even) for even, odd in pairs]
    return Value.cast(level[0])


class BeatPorts(Block):
    """Bytes to beats of the port that ``port`` names, or its beats to bytes: as many as its bits need, low ones first.

    What is beyond the bits of a beat is dropped on its way in. One beat at a time is here, whichever way it goes: one
    that has come stays until its port takes it, and no byte moves meanwhile. ``restart`` forgets one that has begun to
    come, or to leave. ``throughput`` = 1 byte a cycle, but for one after each beat that comes, and two before each that
    leaves.

    Members
    -------
    i: stream of bytes, all of a beat for the same port; o: stream of bytes
    reads: beats of ``port`` are to leave
    port: one that there is, a cycle before its first byte comes, and until its last has gone; restart
    to_0, to_1, ...: streams of beats, of ``to_widths`` bits; from_0, from_1, ...: of ``from_widths`` bits
    """

    throughput = 1

    def __init__(self, to_widths: Sequence[int], from_widths: Sequence[int]) -> None:
        self.to_widths, self.from_widths = _checked(to_widths), _checked(from_widths)
        members: dict[str, Any] = {"i": In(stream.Signature(8)), "o": Out(stream.Signature(8)), "port": In(8)}
        members |= {"reads": In(1), "restart": In(1)}
        members |= {f"to_{number}": Out(stream.Signature(width)) for number, width in enumerate(self.to_widths)}
        members |= {f"from_{number}": In(stream.Signature(width)) for number, width in enumerate(self.from_widths)}
        name = "_".join(map(str, (*self.to_widths, "from", *self.from_widths)))
        super().__init__(f"beats_to_{name}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        outputs = [getattr(self, f"to_{number}") for number in range(len(self.to_widths))]
        inputs = [getattr(self, f"from_{number}") for number in range(len(self.from_widths))]
        to_bytes, from_bytes = [bytes_of(w) for w in self.to_widths], [bytes_of(w) for w in self.from_widths]
        most = max(*to_bytes, *from_bytes)
        kept, at = Signal(8 * most, reset_less=True), Signal(range(most))
        came, leaves, valid = Signal(), Signal(), Signal(len(outputs))
        last = Mux(
            self.reads, chosen([n - 1 for n in from_bytes], self.port), chosen([n - 1 for n in to_bytes], self.port)
        )
        ends = named(m, at == data_register(m, last, "last"), "ends")
        takes, takes_from = Signal(), Signal(len(inputs))
        asks = named(m, self.reads & ~came & ~leaves & ~takes, "asks")
        m.d.sync += [takes.eq(asks), takes_from.eq(Cat(asks & (self.port == number) for number in range(len(inputs))))]
        m.d.comb += [self.i.ready.eq(~came), self.o.valid.eq(leaves), self.o.payload.eq(kept[:8])]
        # A beat has come when its last byte is at the top; one that leaves does so from the bottom.
        for number, (output, count) in enumerate(zip(outputs, to_bytes, strict=True)):
            beat = kept[-8 * count :]
            m.d.comb += [output.valid.eq(valid[number]), output.payload.eq(beat[: self.to_widths[number]])]
        for number, port in enumerate(inputs):
            m.d.comb += port.ready.eq(takes_from[number])
        with m.If((valid & Cat(output.ready for output in outputs)).any()):
            m.d.sync += [came.eq(0), valid.eq(0)]
        moves = named(m, (self.i.valid & self.i.ready) | (self.o.valid & self.o.ready), "moves")
        with m.If(moves):
            m.d.sync += [kept.eq(Cat(kept, self.i.payload)[8:]), at.eq(Mux(ends, 0, at + 1))]
            with m.If(leaves):
                m.d.sync += leaves.eq(~ends)
            with m.Else():
                m.d.sync += came.eq(ends)
                m.d.sync += valid.eq(Cat(ends & (self.port == number) for number in range(len(outputs))))
        with m.Elif(takes):
            m.d.sync += kept.eq(chosen([port.payload for port in inputs], self.port))
            m.d.sync += leaves.eq(chosen([port.valid for port in inputs], self.port))
        with m.If(self.restart):
            m.d.sync += [at.eq(0), leaves.eq(0)]
        return m


def _checked(widths: Sequence[int]) -> tuple[int, ...]:
    for width in widths:
        if width < 1:
            raise ValueError(f"widths must be at least 1 bit, got {width}")
    return tuple(widths)
