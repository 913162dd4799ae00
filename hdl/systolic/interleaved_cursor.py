"""Follows several tiles at once, by turns, through a matrix in a scratchpad."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory import Geometry
from tilewright.hdl.structure import Block, data_register, named
from tilewright.hdl.systolic.axis import Events, PanelAxis, row_axis
from tilewright.hdl.systolic.cursor import Path, at_start
from tilewright.hdl.systolic.parameters import Dataflow


class InterleavedCursor(Block):
    """Turns steps of ``turns`` output-stationary tiles into scratchpad requests; step *t* is one of tile *t* mod turns.

    ``start`` takes ``base`` and ``stride`` (the rows of the matrix) and goes to the first tile; ``middle_step`` and
    ``outer_step`` go to the next one. ``begins``: the step of the next cycle is the first of that tile, and every
    ``turns``-th one after it belongs to it. The request of the step of one cycle is there in the next: latency 1, one
    step a cycle. Of each tile there are registers for where it is.

    Members
    -------
    start, middle_step, outer_step: events of tiles; at most one; begins: with the last two, or alone
    base, stride: sampled with ``start``
    address, rotate, column: the request, see `request_members`
    """

    def __init__(self, name: str, geometry: Geometry, path: Path, turns: int) -> None:
        self.geometry, self.path, self.turns = geometry, path, turns
        members: dict[str, Any] = {event: In(1) for event in ("start", "middle_step", "outer_step", "begins")}
        members |= {"base": In(16), "stride": In(16), "address": Out(geometry.address_bits)}
        if geometry.banked:
            members |= {"column": Out(1)} | ({"rotate": Out(geometry.lane_bits)} if geometry.lane_bits else {})
        super().__init__(f"cursor_{name}_{turns}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        g, path = self.geometry, self.path
        base, _ = at_start(m, self, "base", g.address_bits)
        # Where there is a second panel, a panel is at most half the memory.
        stride, _ = at_start(m, self, "stride", max(1, (g.words // 2).bit_length()))
        events = Events(self.start, Value.cast(0), self.middle_step, self.outer_step)
        flow = Dataflow.OS
        i = row_axis(m, {flow: replace(path.i, inner=0)}, events, _only, max(g.address_bits, g.lane_bits))
        j = PanelAxis(
            m,
            {flow: replace(path.j, inner=0)},
            events,
            _only,
            lanes=g.lanes,
            lane_bits=g.lane_bits if g.banked else 0,
            address_bits=g.address_bits,
            base=base,
            stride=stride,
        )
        tile = {"address": (j.panel + i)[: g.address_bits], "lane": j.lane, "turn": (i + j.lane)[: g.lane_bits]}
        if path.column:  # the stride goes along: another command may have started
            tile["stride"] = data_register(m, stride, "tile_stride")
        now = {field: Signal(len(value), name=f"now_{field}") for field, value in tile.items()}
        past = self._past(m, now)
        edge = past["lane"] == g.lanes - 1 if len(past["lane"]) else Value.cast(1)
        further = {
            "address": past["address"] + (Mux(edge, past["stride"], 0) if path.column else 1),
            "lane": past["lane"] + 1,
            "turn": past["turn"] + 1,
            "stride": past.get("stride"),
        }
        for field, register in now.items():
            m.d.sync += register.eq(Mux(self.begins, tile[field], further[field]))
        m.d.comb += self.address.eq(data_register(m, now["address"], "request"))
        if g.banked:
            m.d.comb += self.column.eq(int(path.column))
            if g.lane_bits:
                m.d.comb += self.rotate.eq(data_register(m, now["turn"], "request_turn"))
        return m

    def _past(self, m: Module, now: dict[str, Signal]) -> dict[str, Value]:
        """``now`` as it was ``turns - 1`` cycles ago."""
        value: Value = Cat(now.values())
        for turn in range(1, self.turns):
            value = data_register(m, value, f"past_{turn}")
        past, low = dict[str, Value](), 0
        for field, register in now.items():
            past[field] = named(m, value[low : low + len(register)], f"past_{field}")
            low += len(register)
        return past


def _only(values: Any) -> Value:
    """The value of the only dataflow."""
    (value,) = values.values()
    return Value.cast(value)
