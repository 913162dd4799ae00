"""Narrow beats to wide ones."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.structure import Block, data_register


class Widen(Block):
    """Joins up to ``factor`` beats of ``lanes`` elements into one of ``lanes * factor``; lane 0 comes first.

    A beat with ``last``, or one that is not full, closes the wide beat: packets and matrix rows start on a new one,
    and kept elements stay contiguous. Latency ``latency`` = 1 cycle from the beat that closes, ``throughput`` = 1
    narrow beat a cycle. ``i.ready``, ``o.valid`` and ``o.payload`` are registers. Data of lanes that are not kept is
    undefined. The other way round: `Narrow`.
    """

    latency = 1
    throughput = 1

    def __init__(self, lanes: int, width: int, factor: int) -> None:
        if factor < 2:
            raise ValueError(f"factor must be at least 2, got {factor}")
        self.lanes, self.width, self.factor = lanes, width, factor
        narrow, wide = beat_layout(lanes, width), beat_layout(lanes * factor, width)
        members = {"i": In(stream.Signature(narrow)), "o": Out(stream.Signature(wide))}
        super().__init__(f"widen_{lanes}to{lanes * factor}x{width}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        beat = self.i.payload
        position = Signal(range(self.factor))
        # What waits for the output register; only then is `closed` high and the input held up.
        closed, full, free, take, closes = Signal(), Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.i.ready.eq(~closed),
            self.o.valid.eq(full),
            free.eq(~full | self.o.ready),
            take.eq(self.i.valid & ~closed),
            closes.eq(beat.last | ~beat.keep.all() | (position == self.factor - 1)),
        ]
        words, keeps = [], []
        for slot in range(self.factor):
            here = (position == slot) & ~closed
            kept = Signal(self.lanes, name=f"keep_{slot}")
            passed = position > slot if slot < self.factor - 1 else Const(0, 1)
            keep = Mux(closed, kept, Mux(here, beat.keep, passed.replicate(self.lanes)))
            with m.If(take):
                m.d.sync += kept.eq(keep)
            keeps.append(keep)
            words.append(Mux(here, beat.data, data_register(m, beat.data, f"slot_{slot}", enable=here)))
        gathered_last = data_register(m, beat.last, "gathered_last", enable=take)
        last = Mux(closed, gathered_last, beat.last)
        with m.If(take):
            m.d.sync += position.eq(Mux(closes, 0, position + 1))
        with m.If(free):
            m.d.sync += [full.eq(closed | (take & closes)), closed.eq(0)]
        with m.Elif(take & closes):
            m.d.sync += closed.eq(1)
        m.d.comb += [
            self.o.payload.data.eq(data_register(m, Cat(words), "word", enable=free)),
            self.o.payload.keep.eq(data_register(m, Cat(keeps), "keep", enable=free)),
            self.o.payload.last.eq(data_register(m, last, "last", enable=free)),
        ]
        return m
