"""Turns bytes to where they go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from tilewright.hdl.engine.piece import cut_layout, piece_layout
from tilewright.hdl.structure import Block, named


class Placing(Block):
    """Keeps count of where in the words of each stream bytes go, and rotates them there.

    ``sizes``: bytes of a word of each stream; a cut of a stream has not more bytes than its word. Latency ``latency``
    = 1 cycle, ``throughput`` = 1 cut a cycle. ``o.valid`` and ``o.payload`` are registers; ``i.ready`` is high when
    ``o`` is free, in the same cycle.
    """

    latency = 1
    throughput = 1

    def __init__(self, bus_bytes: int, sizes: Sequence[int]) -> None:
        self.bus_bytes, self.sizes = bus_bytes, tuple(sizes)
        self.cut, self.piece = cut_layout(bus_bytes), piece_layout(bus_bytes, max(sizes))
        members = {"i": In(stream.Signature(self.cut)), "o": Out(stream.Signature(self.piece))}
        super().__init__(f"placing_{bus_bytes}to{'_'.join(map(str, self.sizes))}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        cut, piece = self.i.payload, self.o.payload
        full = Signal()
        held = Signal(self.piece, name="piece", reset_less=True)
        follows = Signal(piece.position.shape(), reset_less=True)
        take = named(m, self.i.valid & self.i.ready, "take")
        m.d.comb += [self.i.ready.eq(~full | self.o.ready), self.o.valid.eq(full), piece.eq(held)]
        with m.If(self.i.ready):
            m.d.sync += full.eq(self.i.valid)

        position = named(m, Mux(cut.opens, cut.start, follows), "position")
        end = named(m, position + cut.count, "end")
        size: Value = Const(self.sizes[0])
        if len(set(self.sizes)) > 1:
            # Streams that an order cannot have are given any size.
            size = Array([*self.sizes, *[self.sizes[-1]] * ((1 << len(cut.stream)) - len(self.sizes))])[cut.stream]
        size = named(m, size, "size")
        reaches = named(m, end >= size, "reaches")
        turn = named(m, (position - cut.first)[: exact_log2(self.bus_bytes)], "turn")
        with m.If(take):
            m.d.sync += [
                follows.eq(Mux(reaches, end - size, end)),
                held.data.eq(rotated(m, cut.data, turn, self.bus_bytes)),
                held.position.eq(position),
                held.end.eq(end),
                held.full.eq(reaches),
                held.spills.eq(end > size),
                held.close.eq(cut.close),
                held.last.eq(cut.last),
                held.stream.eq(cut.stream),
            ]
        return m


def rotated(m: Module, word: Value, amount: Value, count: int) -> Value:
    """``word`` of ``count`` bytes with byte ``i`` moved to byte ``(i + amount) % count``."""
    for level in range(exact_log2(count)):
        cut = 8 * (count - (1 << level))
        word = named(m, Mux(amount[level], Cat(word[cut:], word[:cut]), word), f"turned_{level}")
    return word
