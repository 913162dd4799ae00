"""The outside of a design: its streams as AXI4-Stream ports with plain names."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Shape, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Member, Out

from tilewright.hdl.structure import Block, place


class Pinout(Block):
    """Wraps ``inner``: stream ``s`` becomes ``s_tdata``, ``s_tvalid``, ``s_tready``; other ports have no pin.

    A payload with fields ``data``, ``keep``, ``last`` becomes ``tdata``, ``tkeep`` (one bit a value), ``tlast``; any
    other is ``tdata`` as a whole. Adds no logic.
    """

    def __init__(self, inner: Block) -> None:
        self.inner = inner
        members: dict[str, Member] = {}
        for name, member in self.streams():
            forward, backward = (In, Out) if member.flow is In else (Out, In)
            for part, width in self.parts(name).items():
                members[f"{name}_t{part}"] = forward(width)
            members |= {f"{name}_tvalid": forward(1), f"{name}_tready": backward(1)}
        super().__init__("", members)

    def streams(self) -> list[tuple[str, Member]]:
        """Names and members of the streams."""
        return [(name, member) for name, member in self.inner.signature.members.items() if member.is_signature]

    def parts(self, name: str) -> dict[str, int]:
        """Fields of stream ``name``'s payload that have a port, and their widths."""
        shape = getattr(self.inner, name).signature.members["payload"].shape
        if isinstance(shape, data.StructLayout) and set(shape.members) == {"data", "keep", "last"}:
            return {field: Shape.cast(shape.members[field]).width for field in ("data", "keep", "last")}
        return {"data": Shape.cast(shape).width}

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.core = place(platform, self.inner)
        for name, member in self.streams():
            port = getattr(self.inner, name)
            payload = Value.cast(port.payload)
            outside = Cat(getattr(self, f"{name}_t{part}") for part in self.parts(name))
            valid, ready = getattr(self, f"{name}_tvalid"), getattr(self, f"{name}_tready")
            if member.flow is In:
                m.d.comb += [payload.eq(outside), port.valid.eq(valid), ready.eq(port.ready)]
            else:
                m.d.comb += [outside.eq(payload), valid.eq(port.valid), port.ready.eq(ready)]
        return m
