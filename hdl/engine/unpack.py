"""Beats of values to bytes."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.utils import bits_for

from tilewright.hdl.engine.port import ValuePort
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.structure import Block, named, place


def part_layout(bus_bytes: int) -> data.StructLayout:
    """``count`` bytes, at least 1, from byte 0 of a word of the bus's width."""
    return data.StructLayout({"data": unsigned(8 * bus_bytes), "count": unsigned(bits_for(bus_bytes))})


class Unpack(Block):
    """Gives the bytes that the kept values of beats of ``port`` take in memory, as many at a time as the bus has.

    A value takes ``port.container`` bytes, low bits first, above them zeros or, if ``port.signed``, its sign. A beat
    gives the parts of the bus's width that have a byte of a kept value. Latency ``latency`` = 1 cycle, ``throughput`` =
    1 part a cycle. ``i.ready``, ``o.valid`` and ``o.payload`` depend on registers only. ``last`` is not looked at.
    """

    latency = 1
    throughput = 1

    def __init__(self, bus_bytes: int, port: ValuePort) -> None:
        self.bus_bytes, self.port = bus_bytes, port
        members = {"i": In(stream.Signature(port.beat)), "o": Out(stream.Signature(part_layout(bus_bytes)))}
        width = f"{'s' if port.signed else ''}{port.width}"
        super().__init__(f"unpack_{port.values}x{width}in{port.container}to{bus_bytes}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        port, bus = self.port, self.bus_bytes
        m.submodules.buffer = place(platform, buffer := Buffer(port.beat))
        connect(m, flipped(self.i), buffer.i)
        beat = buffer.o.payload
        codes = [beat.data.word_select(value, port.width) for value in range(port.values)]
        above = 8 * port.container - port.width
        fills = [code[-1].replicate(above) if port.signed else Const(0, above) for code in codes]
        word = named(m, Cat(Cat(code, fill) for code, fill in zip(codes, fills, strict=True)), "word")
        # Presence in steps that are neither split by the bus nor by a value.
        unit = min(port.container, bus)
        keep = [beat.keep[at // port.container] for at in range(0, port.bytes, unit)]
        steps = bus // unit
        parts = -(-port.bytes // bus)
        words = [word[8 * bus * part : 8 * bus * (part + 1)] for part in range(parts)]
        counts = [named(m, _ones(keep[steps * p : steps * (p + 1)], unit), f"count_{p}") for p in range(parts)]
        if parts == 1:
            m.d.comb += [
                self.o.payload.data.eq(words[0]),
                self.o.payload.count.eq(counts[0]),
                buffer.o.ready.eq(self.o.ready),
            ]
        else:
            position = Signal(range(parts))
            # Kept values follow each other: the next part has any when it has its first.
            more = named(m, Array([*(keep[steps * part] for part in range(1, parts)), 0])[position], "more")
            m.d.comb += [
                self.o.payload.data.eq(Array(words)[position]),
                self.o.payload.count.eq(Array(counts)[position]),
                buffer.o.ready.eq(self.o.ready & ~more),
            ]
            with m.If(self.o.valid & self.o.ready):
                m.d.sync += position.eq(0)
                with m.If(more):
                    m.d.sync += position.eq(position + 1)
        m.d.comb += self.o.valid.eq(buffer.o.valid)
        return m


def _ones(bits: list[Value], unit: int) -> Value:
    """``unit`` times how many of ``bits`` are set, which are set from the first on without a gap."""
    found: Value = Const(0, bits_for(unit * len(bits)))
    for index, bit in enumerate(bits):
        following = bits[index + 1] if index + 1 < len(bits) else Const(0)
        size = unit * (index + 1)
        found = found | ((bit & ~following).replicate(bits_for(size)) & Const(size, bits_for(size)))
    return found
