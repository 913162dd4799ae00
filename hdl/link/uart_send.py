"""Bytes to a wire."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.link.uart_timing import check_divisor
from tilewright.hdl.structure import Block

BITS = 10


class UartSend(Block):
    """Sends bytes on ``tx``, 8N1 as `UartReceive` takes them; ``tx`` is a register, and 1 between bytes.

    ``throughput``: a byte each ``10 * divisor`` cycles, without a pause between bytes. ``latency`` = 1 cycle from a
    byte to the edge of its start bit. ``i.ready`` is a function of registers.

    Parameters
    ----------
    divisor: int
        Cycles of a bit: clock frequency over baud rate, 8 to 65,536.
    """

    latency = 1

    def __init__(self, divisor: int) -> None:
        check_divisor(divisor)
        self.divisor = divisor
        super().__init__(f"uart_send_{divisor}", {"tx": Out(1, init=1), "i": In(stream.Signature(8))})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        left, bits = Signal(range(self.divisor)), Signal(range(BITS + 1))
        # Behind the bits that are left come ones: the stop bit, and the wire at rest.
        wire = Signal(BITS - 1, init=(1 << (BITS - 1)) - 1)
        m.d.comb += [
            self.tx.eq(wire[0]),
            self.i.ready.eq((bits == 0) | ((bits == 1) & (left == 0))),
        ]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [wire.eq(Cat(Const(0, 1), self.i.payload)), bits.eq(BITS), left.eq(self.divisor - 1)]
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        with m.Elif(bits != 0):
            m.d.sync += [wire.eq(Cat(wire[1:], Const(1, 1))), bits.eq(bits - 1)]
            with m.If(bits != 1):
                m.d.sync += left.eq(self.divisor - 1)
        return m
