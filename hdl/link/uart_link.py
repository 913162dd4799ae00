"""A link over the two wires of a UART."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.link.byte_link import ByteLink
from tilewright.hdl.link.uart_receive import UartReceive
from tilewright.hdl.link.uart_send import UartSend
from tilewright.hdl.structure import Block, place


class UartLink(Block):
    """`ByteLink` between `UartReceive` and `UartSend`, whose parameters and ports it has; ``rx`` and ``tx``: the wires.

    ``reset``: everything behind the link is to be reset, for 8 cycles.
    """

    def __init__(
        self, inputs: Sequence[int], outputs: Sequence[int], identity: bytes, patience: int, divisor: int
    ) -> None:
        self.receive, self.send = UartReceive(divisor), UartSend(divisor)
        self.link = ByteLink(inputs, outputs, identity, patience)
        members: dict[str, Any] = {"rx": In(1, init=1), "tx": Out(1, init=1)}
        kept = self.link.signature.members
        members |= {name: kept[name] for name in kept if name not in ("i", "o", "lost")}
        super().__init__(f"uart_link_{divisor}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        receive, send, link = self.receive, self.send, self.link
        m.submodules.receive, m.submodules.send = place(platform, receive), place(platform, send)
        m.submodules.link = place(platform, link)
        m.d.comb += [
            receive.rx.eq(self.rx),
            self.tx.eq(send.tx),
            link.lost.eq(receive.lost),
            self.reset.eq(link.reset),
        ]
        connect(m, receive.o, link.i)
        connect(m, link.o, send.i)
        for name in self.signature.members:
            if name.startswith("input_"):
                connect(m, getattr(link, name), flipped(getattr(self, name)))
            elif name.startswith("output_"):
                connect(m, flipped(getattr(self, name)), getattr(link, name))
        return m
