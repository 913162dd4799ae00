"""Beats of streams to bytes and back, as the link carries them: one port at a time, in logic that all ports share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value, ValueLike
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block, named


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


class ToBeats(Block):
    """Bytes to beats of the port that ``port`` names: as many bytes each as its bits need, low ones first.

    What is beyond the bits of a beat is dropped. ``restart`` forgets a beat that has begun; one that is complete stays
    until its port takes it, and no byte is taken meanwhile. ``throughput`` = 1 byte a cycle, but for one after each
    beat.

    Members
    -------
    i: stream of bytes, all of a beat for the same port
    port: one that there is; restart
    output_0, output_1, ...: streams of beats of ``widths`` bits
    """

    throughput = 1

    def __init__(self, widths: Sequence[int]) -> None:
        self.widths = _checked(widths)
        members: dict[str, Any] = {"i": In(stream.Signature(8)), "port": In(8), "restart": In(1)}
        members |= {f"output_{number}": Out(stream.Signature(width)) for number, width in enumerate(self.widths)}
        super().__init__(f"to_beats_{'_'.join(map(str, self.widths))}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        outputs = [getattr(self, f"output_{number}") for number in range(len(self.widths))]
        counts = [bytes_of(width) for width in self.widths]
        kept, at = Signal(8 * max(counts), reset_less=True), Signal(range(max(counts)))
        full, target = Signal(), Signal(range(len(counts)))
        ends = named(m, at == chosen([count - 1 for count in counts], self.port), "ends")
        m.d.comb += self.i.ready.eq(~full)
        # A beat is whole when its last byte has come in at the top.
        for number, (output, count) in enumerate(zip(outputs, counts, strict=True)):
            beat = kept[-8 * count :]
            m.d.comb += [output.valid.eq(full & (target == number)), output.payload.eq(beat[: self.widths[number]])]
        with m.If(chosen([output.ready for output in outputs], target)):
            m.d.sync += full.eq(0)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [kept.eq(Cat(kept, self.i.payload)[8:]), target.eq(self.port), at.eq(Mux(ends, 0, at + 1))]
            m.d.sync += full.eq(ends)
        with m.If(self.restart):
            m.d.sync += at.eq(0)
        return m


class ToBytes(Block):
    """Beats of the port that ``port`` names to bytes: as many each as its bits need, low ones first.

    A beat is taken with its last byte; ``restart`` goes back to the first one. ``throughput`` = 1 byte a cycle, and
    ``o.valid`` in the cycle of the beat's.

    Members
    -------
    input_0, input_1, ...: streams of beats of ``widths`` bits
    port: one that there is; restart
    o: stream of bytes
    """

    throughput = 1

    def __init__(self, widths: Sequence[int]) -> None:
        self.widths = _checked(widths)
        members: dict[str, Any] = {"o": Out(stream.Signature(8)), "port": In(8), "restart": In(1)}
        members |= {f"input_{number}": In(stream.Signature(width)) for number, width in enumerate(self.widths)}
        super().__init__(f"to_bytes_{'_'.join(map(str, self.widths))}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        inputs = [getattr(self, f"input_{number}") for number in range(len(self.widths))]
        counts = [bytes_of(width) for width in self.widths]
        at = Signal(range(max(counts)))
        ends = named(m, at == chosen([count - 1 for count in counts], self.port), "ends")
        bytes_now = []
        for number, (port, count) in enumerate(zip(inputs, counts, strict=True)):
            beat = [port.payload[8 * byte : 8 * byte + 8] for byte in range(count)]
            bytes_now.append(named(m, chosen(beat, at), f"byte_{number}"))
            m.d.comb += port.ready.eq((self.port == number) & ends & self.o.ready)
        m.d.comb += [
            self.o.valid.eq(chosen([port.valid for port in inputs], self.port)),
            self.o.payload.eq(chosen(bytes_now, self.port)),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += at.eq(Mux(ends, 0, at + 1))
        with m.If(self.restart):
            m.d.sync += at.eq(0)
        return m


def _checked(widths: Sequence[int]) -> tuple[int, ...]:
    for width in widths:
        if width < 1:
            raise ValueError(f"widths must be at least 1 bit, got {width}")
    return tuple(widths)
