"""Registers behind a link."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.axi.signatures import lite_signature
from tilewright.hdl.link.access import REGISTER_ANSWER, REGISTER_REQUEST, Access
from tilewright.hdl.structure import Block, data_register, named

MOST_ADDRESS_BITS = 16


class RegisterAccess(Block):
    """Reads and writes registers over AXI4-Lite, one after the other: an answer to each request, refusals included.

    An address that is no multiple of 4, or that ``address_bits`` do not reach, is refused without the bus. An answer is
    there the cycle after the bus has answered, of a refusal the one after its request; that to a write has data
    that mean nothing.

    Parameters
    ----------
    address_bits: int
        Of the bus, 3 to 16.

    Members
    -------
    request: stream of `REGISTER_REQUEST`; answer: stream of `REGISTER_ANSWER`
    bus: AXI4-Lite, 32 bits
    """

    def __init__(self, address_bits: int) -> None:
        if not 3 <= address_bits <= MOST_ADDRESS_BITS:
            raise ValueError(f"address_bits must be 3..{MOST_ADDRESS_BITS}, got {address_bits}")
        self.address_bits = address_bits
        super().__init__(
            f"register_access_{address_bits}",
            {
                "request": In(stream.Signature(REGISTER_REQUEST)),
                "answer": Out(stream.Signature(REGISTER_ANSWER)),
                "bus": Out(lite_signature(address_bits)),
            },
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        bus, asked = self.bus, self.request.payload
        taken = named(m, self.request.valid & self.request.ready, "taken")
        address = data_register(m, asked.address[: self.address_bits], "address", enable=taken)
        status = Signal(Access)
        has_read = named(m, bus.r.valid & bus.r.ready, "has_read")
        m.d.comb += [
            bus.aw.payload.addr.eq(address),
            bus.ar.payload.addr.eq(address),
            bus.w.payload.data.eq(data_register(m, asked.data, "data", enable=taken)),
            bus.w.payload.strb.eq(0b1111),
            self.answer.payload.data.eq(data_register(m, bus.r.payload.data, "found", enable=has_read)),
            self.answer.payload.status.eq(status),
        ]
        address_gone, data_gone = Signal(), Signal()
        with m.FSM(name="state"):
            with m.State("IDLE"):
                m.d.comb += self.request.ready.eq(1)
                m.d.sync += [address_gone.eq(0), data_gone.eq(0), status.eq(self._objection(asked.address))]
                with m.If(taken):
                    with m.If(self._objection(asked.address) != Access.DONE):
                        m.next = "ANSWER"
                    with m.Elif(asked.write):
                        m.next = "WRITE"
                    with m.Else():
                        m.next = "READ"
            with m.State("WRITE"):
                m.d.comb += [bus.aw.valid.eq(~address_gone), bus.w.valid.eq(~data_gone), bus.b.ready.eq(1)]
                m.d.sync += [address_gone.eq(address_gone | bus.aw.ready), data_gone.eq(data_gone | bus.w.ready)]
                self._end(m, bus.b, status)
            with m.State("READ"):
                m.d.comb += [bus.ar.valid.eq(~address_gone), bus.r.ready.eq(1)]
                m.d.sync += address_gone.eq(address_gone | bus.ar.ready)
                self._end(m, bus.r, status)
            with m.State("ANSWER"):
                m.d.comb += self.answer.valid.eq(1)
                with m.If(self.answer.ready):
                    m.next = "IDLE"
        return m

    def _objection(self, address: Value) -> Value:
        """What is wrong with an address."""
        above = address[self.address_bits :]
        beyond = above.any() if len(above) else Const(0)
        return Mux(address[:2].any(), Access.UNALIGNED, Mux(beyond, Access.BEYOND, Access.DONE))

    @staticmethod
    def _end(m: Module, response: Any, status: Signal) -> None:
        """The access ends with ``response``, a stream."""
        with m.If(response.valid):
            m.d.sync += status.eq(Mux(response.payload.resp.any(), Access.REFUSED, Access.DONE))
            m.next = "ANSWER"
