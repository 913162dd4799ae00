"""A block with a protocol checker on each of its streams."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.stream.checker import Checker
from tilewright.hdl.structure import Block, place


class Watched(Block):
    """``inner`` as it is, and an output ``protocol_error``: a stream of it, in or out, broke a rule (see `Checker`).

    ``protocol_error`` rises in the cycle of the fault and stays until reset. Adds no registers and no latency to
    ``inner``; other ports than streams pass through. For simulation.
    """

    def __init__(self, inner: Block) -> None:
        self.inner = inner
        members = dict(inner.signature.members.items())
        self.streams = [name for name, member in members.items() if self._is_stream(member)]
        if not self.streams:
            raise ValueError(f"block must have at least 1 stream to watch, {inner.name} has none")
        if "protocol_error" in members:
            raise ValueError(f"block must not have a port of its own called 'protocol_error', {inner.name} has")
        super().__init__(f"watched_{inner.name}", members | {"protocol_error": Out(1)})

    @staticmethod
    def _is_stream(member: Any) -> bool:
        return member.is_signature and isinstance(member.signature, stream.Signature)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.inner = place(platform, self.inner)
        checkers = []
        for name, member in self.inner.signature.members.items():
            inside, outside = getattr(self.inner, name), getattr(self, name)
            if name not in self.streams:
                m.d.comb += inside.eq(outside) if member.flow is In else outside.eq(inside)
                continue
            if member.flow is In:
                connect(m, flipped(outside), inside)
            else:
                connect(m, inside, flipped(outside))
            checker = Checker(inside.payload.shape())
            m.submodules[f"checker_{name}"] = place(platform, checker)
            m.d.comb += [
                checker.valid.eq(inside.valid),
                checker.ready.eq(inside.ready),
                checker.payload.eq(inside.payload),
            ]
            checkers.append(checker)
        m.d.comb += self.protocol_error.eq(Cat(checker.error for checker in checkers).any())
        return m
