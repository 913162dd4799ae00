"""From AXI4-Lite to one register access at a time."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import In, Out

from tilewright.hdl.axi.signatures import lite_signature
from tilewright.hdl.structure import Block, data_register, named


class LitePort(Block):
    """Answers AXI4-Lite: a write is one cycle of ``write``, a read gives ``read_data`` of the cycle after ``read``.

    AW and W may come in any order and any time apart; one access of a kind is under way at a time. Latency from the
    later of AW and W to B: 2 cycles; from AR to R: 3. The response is SLVERR where ``write_refused`` is high with the
    write, or ``read_refused`` with ``read_data``.

    Members
    -------
    bus: AXI4-Lite, 32 bits
    write, write_address (of a word), write_data, write_strobes; write_refused
    read, read_address (of a word); read_data, read_refused
    """

    def __init__(self, address_bits: int) -> None:
        self.address_bits = address_bits
        word = address_bits - 2
        super().__init__(
            f"lite_port_{address_bits}",
            {
                "bus": In(lite_signature(address_bits)),
                "write": Out(1),
                "write_address": Out(word),
                "write_data": Out(32),
                "write_strobes": Out(4),
                "write_refused": In(1),
                "read": Out(1),
                "read_address": Out(word),
                "read_data": In(32),
                "read_refused": In(1),
            },
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        bus = self.bus
        has_address, has_data, answering = Signal(), Signal(), Signal()
        refused = Signal()
        take_address = named(m, bus.aw.valid & bus.aw.ready, "take_address")
        take_data = named(m, bus.w.valid & bus.w.ready, "take_data")
        m.d.comb += [
            bus.aw.ready.eq(~has_address),
            bus.w.ready.eq(~has_data),
            self.write.eq(has_address & has_data & ~answering),
            self.write_address.eq(data_register(m, bus.aw.payload.addr[2:], "address", enable=take_address)),
            self.write_data.eq(data_register(m, bus.w.payload.data, "data", enable=take_data)),
            self.write_strobes.eq(data_register(m, bus.w.payload.strb, "strobes", enable=take_data)),
            bus.b.valid.eq(answering),
            bus.b.payload.resp.eq(refused << 1),
        ]
        with m.If(take_address):
            m.d.sync += has_address.eq(1)
        with m.If(take_data):
            m.d.sync += has_data.eq(1)
        with m.If(self.write):
            m.d.sync += [has_address.eq(0), has_data.eq(0), answering.eq(1), refused.eq(self.write_refused)]
        with m.Elif(bus.b.ready):
            m.d.sync += answering.eq(0)

        stages = Signal(2)
        offered, waiting = Signal(), Signal()
        take_read = named(m, bus.ar.valid & bus.ar.ready, "take_read")
        m.d.sync += stages.eq(Cat(take_read, stages[0]))
        m.d.comb += [
            bus.ar.ready.eq(~waiting),
            self.read.eq(stages[0]),
            self.read_address.eq(data_register(m, bus.ar.payload.addr[2:], "read_word", enable=take_read)),
            bus.r.valid.eq(offered),
            bus.r.payload.data.eq(data_register(m, self.read_data, "answer", enable=stages[1])),
            bus.r.payload.resp.eq(data_register(m, self.read_refused, "read_failed", enable=stages[1]) << 1),
        ]
        with m.If(take_read):
            m.d.sync += waiting.eq(1)
        with m.Elif(offered & bus.r.ready):
            m.d.sync += waiting.eq(0)
        with m.If(stages[1]):
            m.d.sync += offered.eq(1)
        with m.Elif(bus.r.ready):
            m.d.sync += offered.eq(0)
        return m
