"""The same block many times in a line: a row of processing elements, an array of rows."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from amaranth.hdl import Module, Shape, unsigned
from amaranth.lib.wiring import In, Member, Out

from tilewright.hdl.structure.block import Block, place


class Repeat(Block):
    """``count`` copies of ``unit`` in a line.

    Every port of ``unit`` takes one of three roles:

    - chained: ``chain={"x_in": "x_out"}`` connects ``x_out`` of one copy to ``x_in`` of the next; the ends are the
      ports ``x_in`` and ``x_out`` of this block;
    - shared: an input that every copy sees;
    - dropped: an output that leaves the far end unused, ``drop=("x_out",)``;
    - a lane (all others): copy *i* has bits ``[i*w, (i+1)*w)`` of a port ``count`` times as wide.

    It adds no registers: latency and throughput are those of ``unit`` along the chain. Emitted as one module with a
    generate loop, whatever ``count`` is.
    """

    def __init__(
        self,
        name: str,
        unit: Block,
        count: int,
        *,
        label: str,
        chain: Mapping[str, str],
        shared: Sequence[str] = (),
        drop: Sequence[str] = (),
    ) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, got {count}")
        self.unit, self.count, self.label = unit, count, label
        self.chain, self.shared, self.drop = dict(chain), tuple(shared), tuple(drop)
        ends = {*self.chain, *self.chain.values(), *self.shared}
        members: dict[str, Member] = {}
        for port, member in unit.signature.members.items():
            width = Shape.cast(member.shape).width
            if port in self.drop:
                continue
            members[port] = member if port in ends else self._member(member, unsigned(width * count))
        unknown = ends - unit.signature.members.keys()
        if unknown:
            raise ValueError(f"{unit.name} has no port {sorted(unknown)[0]!r}")
        self.lanes = tuple(port for port in members if port not in ends)
        super().__init__(name, members)

    @staticmethod
    def _member(member: Member, shape: Shape) -> Member:
        return In(shape) if member.flow is In else Out(shape)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        before: Block | None = None
        for index in range(self.count):
            unit = self._copy()
            m.submodules[f"{self.label}_{index}"] = place(platform, unit)
            for port in self.shared:
                m.d.comb += getattr(unit, port).eq(getattr(self, port))
            for port in self.lanes:
                inner, outer = getattr(unit, port), getattr(self, port)
                lane = outer[index * len(inner) : (index + 1) * len(inner)]
                flow = self.signature.members[port].flow
                m.d.comb += inner.eq(lane) if flow is In else lane.eq(inner)
            for source, sink in self.chain.items():
                m.d.comb += getattr(unit, source).eq(getattr(before or self, sink if before else source))
            before = unit
        for sink in set(self.chain.values()) - set(self.drop):
            m.d.comb += getattr(self, sink).eq(getattr(before, sink))
        return m

    def _copy(self) -> Block:
        """A fresh block with the parameters of ``unit`` and signals of its own."""
        unit = copy.copy(self.unit)
        unit.__dict__.update(self.unit.signature.members.create(path=(self.label,)))
        return unit
