"""Beats of streams to bytes and back, as the link carries them."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block


class ToBeats(Block):
    """Bytes to beats of ``width`` bits: as many bytes each as these need, low ones first; what is beyond is dropped.

    ``clear`` forgets a beat that has begun. ``throughput`` = 1 byte a cycle, but for one after each beat.
    """

    throughput = 1

    def __init__(self, width: int) -> None:
        if width < 1:
            raise ValueError(f"width must be at least 1, got {width}")
        self.width, self.bytes = width, -(-width // 8)
        members = {"i": In(stream.Signature(8)), "o": Out(stream.Signature(width)), "clear": In(1)}
        super().__init__(f"to_beats_{width}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        kept, at, full = Signal(8 * self.bytes, reset_less=True), Signal(range(self.bytes)), Signal()
        m.d.comb += [self.i.ready.eq(~full), self.o.valid.eq(full), self.o.payload.eq(kept)]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [kept.eq(Cat(kept, self.i.payload)[8:]), at.eq(at + 1)]
            with m.If(at == self.bytes - 1):
                m.d.sync += [at.eq(0), full.eq(1)]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += full.eq(0)
        with m.If(self.clear):
            m.d.sync += at.eq(0)
        return m


class ToBytes(Block):
    """Beats of ``width`` bits to bytes: as many each as these need, low ones first.

    ``throughput`` = 1 byte a cycle, but for one after each beat; ``o.valid`` from 1 cycle after a beat on.
    """

    throughput = 1

    def __init__(self, width: int) -> None:
        if width < 1:
            raise ValueError(f"width must be at least 1, got {width}")
        self.width, self.bytes = width, -(-width // 8)
        members = {"i": In(stream.Signature(width)), "o": Out(stream.Signature(8))}
        super().__init__(f"to_bytes_{width}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        kept, left = Signal(8 * self.bytes, reset_less=True), Signal(range(self.bytes + 1))
        m.d.comb += [self.i.ready.eq(left == 0), self.o.valid.eq(left != 0), self.o.payload.eq(kept)]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [kept.eq(self.i.payload), left.eq(self.bytes)]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += [kept.eq(Cat(kept[8:], Const(0, 8))), left.eq(left - 1)]
        return m
