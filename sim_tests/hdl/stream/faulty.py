"""A block that breaks stream rules when it is told to."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block


class Faulty(Block):
    """Passes beats on, unless their data are one of these codes: then it breaks a rule."""

    CHANGES, WITHDRAWS, GAP, EMPTY = 0xFA01, 0xFA02, 0xFA03, 0xFA04

    def __init__(self, shape: data.StructLayout) -> None:
        super().__init__("faulty", {"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        toggle = Signal()
        m.d.sync += toggle.eq(~toggle)
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready),
            self.o.payload.eq(self.i.payload),
        ]
        with m.If(self.i.valid), m.Switch(self.i.payload.data):
            with m.Case(self.CHANGES):
                m.d.comb += self.o.payload.last.eq(toggle)
            with m.Case(self.WITHDRAWS):
                m.d.comb += self.o.valid.eq(toggle)
            with m.Case(self.GAP):
                m.d.comb += self.o.payload.keep.eq(2)
            with m.Case(self.EMPTY):
                m.d.comb += self.o.payload.keep.eq(0)
        return m
