"""A GEMM core behind the two wires of a UART."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import Flow, In, Out

from tilewright.hdl.link import UartLink
from tilewright.hdl.structure import Block, place
from tilewright.hdl.systolic.pinout import Pinout

PATIENCE = 1 << 16
"""Cycles that a port has to take or to give a byte, before the frame that asks it is answered without."""


def port_bits(core: Pinout, flow: Flow) -> dict[str, int]:
    """Names and bits of a link's ports to ``core`` (`In`) or from it (`Out`), in the order of their numbers."""
    return {name: sum(core.parts(name).values()) for name, member in core.streams() if member.flow is flow}


class LinkedCore(Block):
    """``core`` whose streams are the ports of a link: those into it and those out of it, each in the core's order.

    A RESET over the link resets the core.

    Parameters
    ----------
    core: Pinout
        The core, with the ports that its own Verilog has.
    identity: bytes
        See `tilewright.fpga.tops.identity.identity`.
    divisor: int
        Cycles of a bit.
    """

    def __init__(self, core: Pinout, identity: bytes, divisor: int) -> None:
        self.core = core
        self.inputs, self.outputs = port_bits(core, In), port_bits(core, Out)
        self.link = UartLink(tuple(self.inputs.values()), tuple(self.outputs.values()), identity, PATIENCE, divisor)
        super().__init__("linked", {"rx": In(1, init=1), "tx": Out(1, init=1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        core, link = self.core, self.link
        m.submodules.link = place(platform, link)
        # From a register, as the reset goes a long way.
        reset = Signal(name="core_reset")
        m.d.sync += reset.eq(link.reset)
        m.submodules.core = place(platform, core, reset=reset)
        m.d.comb += [link.rx.eq(self.rx), self.tx.eq(link.tx)]
        for number, name in enumerate(self.inputs):
            port, beat = getattr(link, f"input_{number}"), self._beat(name)
            m.d.comb += [
                beat.eq(port.payload),
                getattr(core, f"{name}_tvalid").eq(port.valid),
                port.ready.eq(getattr(core, f"{name}_tready")),
            ]
        for number, name in enumerate(self.outputs):
            port, beat = getattr(link, f"output_{number}"), self._beat(name)
            m.d.comb += [
                port.payload.eq(beat),
                port.valid.eq(getattr(core, f"{name}_tvalid")),
                getattr(core, f"{name}_tready").eq(port.ready),
            ]
        return m

    def _beat(self, stream: str) -> Any:
        return Cat(getattr(self.core, f"{stream}_t{part}") for part in self.core.parts(stream))
