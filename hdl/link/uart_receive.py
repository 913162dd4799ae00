"""Bytes from a wire."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.link.uart_timing import check_divisor
from tilewright.hdl.structure import Block

DATA_BITS = 8


class UartReceive(Block):
    """Takes bytes from ``rx``, asynchronous: a start bit (0), 8 bits, low one first, a stop bit (1); 8N1.

    Bits are sampled in their middle, counted from the edge of the start bit; a start that is over by its middle is
    none. A byte whose stop bit is 0 (a break, or noise) is dropped, and told by ``broken`` for a cycle; the next one
    is looked for when the wire is 1 again.

    Tolerance: the stop bit is sampled ``9.5 * divisor`` cycles after an edge that is seen up to a cycle late, so
    clocks may differ by ``0.5 / 9.5 - 1 / (9.5 * divisor)``: 4.4 % at 12 cycles a bit.

    ``latency`` = ``9 * divisor + divisor // 2 + 3`` cycles from the edge of the start bit to the byte. ``throughput``:
    a byte each ``10 * divisor`` cycles. A byte waits at ``o`` while the next one comes; ``lost`` tells for a cycle that
    it was not taken by then, and that it is the next one that is dropped.

    Parameters
    ----------
    divisor: int
        Cycles of a bit: clock frequency over baud rate, 8 to 65,536.
    """

    def __init__(self, divisor: int) -> None:
        check_divisor(divisor)
        self.divisor = divisor
        members = {"rx": In(1, init=1), "o": Out(stream.Signature(8)), "broken": Out(1), "lost": Out(1)}
        super().__init__(f"uart_receive_{divisor}", members)

    @property
    def latency(self) -> int:
        """Cycles from the edge of a start bit to the byte."""
        return 9 * self.divisor + self.divisor // 2 + 3

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        first, wire = Signal(init=1, reset_less=True), Signal(init=1)
        m.d.sync += [first.eq(self.rx), wire.eq(first)]
        left = Signal(range(self.divisor))
        samples = Signal(DATA_BITS, reset_less=True)
        bit = Signal(range(DATA_BITS))
        full = Signal()
        m.d.comb += self.o.valid.eq(full)
        with m.If(self.o.ready):
            m.d.sync += full.eq(0)
        m.d.sync += [self.broken.eq(0), self.lost.eq(0)]
        with m.If(left != 0):
            m.d.sync += left.eq(left - 1)
        with m.FSM(name="state"):
            with m.State("IDLE"):
                with m.If(~wire):
                    m.d.sync += left.eq(self.divisor // 2 - 1)
                    m.next = "START"
            with m.State("START"), m.If(left == 0):
                m.d.sync += [left.eq(self.divisor - 1), bit.eq(0)]
                with m.If(wire):
                    m.next = "IDLE"
                with m.Else():
                    m.next = "DATA"
            with m.State("DATA"), m.If(left == 0):
                m.d.sync += [left.eq(self.divisor - 1), samples.eq(Cat(samples[1:], wire)), bit.eq(bit + 1)]
                with m.If(bit == DATA_BITS - 1):
                    m.next = "STOP"
            with m.State("STOP"), m.If(left == 0):
                with m.If(~wire):
                    m.d.sync += self.broken.eq(1)
                    m.next = "BREAK"
                with m.Else():
                    m.d.sync += self.lost.eq(full & ~self.o.ready)
                    with m.If(~full | self.o.ready):
                        m.d.sync += [full.eq(1), self.o.payload.eq(samples)]
                    m.next = "IDLE"
            with m.State("BREAK"), m.If(wire):
                m.next = "IDLE"
        return m
