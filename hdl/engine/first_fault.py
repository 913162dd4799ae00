"""Of several faults the one that counts."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from tilewright.hdl.engine.answers import FAULT
from tilewright.hdl.structure import Block


class FirstFault(Block):
    """Gives the first of ``sources`` that happens now. Combinational.

    Members
    -------
    s_valid, s for each s of ``sources``: a fault happens now
    valid, fault: one of them does, and which
    """

    def __init__(self, sources: tuple[str, ...]) -> None:
        self.sources = sources
        members: dict[str, Any] = {}
        for name in sources:
            members |= {f"{name}_valid": In(1), name: In(FAULT)}
        super().__init__(f"first_fault_{'_'.join(sources)}", members | {"valid": Out(1), "fault": Out(FAULT)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        for name in reversed(self.sources):
            with m.If(getattr(self, f"{name}_valid")):
                m.d.comb += [self.valid.eq(1), self.fault.eq(getattr(self, name))]
        return m
