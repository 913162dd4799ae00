"""Follows a loop nest through a matrix in a scratchpad."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Module, Mux, ShapeLike, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory import Geometry
from tilewright.hdl.structure import Block, data_register, named
from tilewright.hdl.systolic.axis import Axis, Events, PanelAxis, row_axis
from tilewright.hdl.systolic.parameters import Dataflow


@dataclass(frozen=True)
class Path:
    """Both coordinates of an access, and whether it runs down a column."""

    i: Axis
    j: Axis
    column: bool = False


class Cursor(Block):
    """Turns loop steps into scratchpad requests.

    ``start`` takes ``base``, ``stride`` (the rows of the matrix) and ``dataflow`` (only when there are several paths)
    and goes to the beginning of that path; the ``*_step`` events say which loop advances at the end of this cycle.
    The request of the step of one cycle is there in the next: latency 1, one step a cycle. With ``held``, base, stride
    and dataflow do not change until the last step, and are not kept here.

    Members
    -------
    start, inner_step, middle_step, outer_step: events; at most one, ``start`` wins
    base, stride, dataflow: sampled with ``start``
    address, next_panel, split, rotate, column: the request, see `request_members`; the second and third only where
        a path runs along a row
    panel: number of the panel that holds the access's first element (only with ``count_panels``)
    """

    def __init__(
        self,
        name: str,
        geometry: Geometry,
        paths: Mapping[Dataflow, Path],
        *,
        count_panels: bool = False,
        held: bool = False,
    ) -> None:
        self.geometry, self.paths, self.count_panels, self.held = geometry, dict(paths), count_panels, held
        members: dict[str, Any] = {event: In(1) for event in ("start", "inner_step", "middle_step", "outer_step")}
        members |= {"base": In(16), "stride": In(16)}
        if len(self.paths) > 1:
            members["dataflow"] = In(Dataflow)
        members["address"] = Out(geometry.address_bits)
        if geometry.banked:
            members |= {"column": Out(1)}
            if geometry.lane_bits:
                members |= {"rotate": Out(geometry.lane_bits)}
            # Only along a row do lanes reach into the next panel; with ``count_panels`` there is a row of bias.
            if count_panels or not all(path.column for path in self.paths.values()):
                members |= {"next_panel": Out(geometry.address_bits)}
                if geometry.lane_bits:
                    members |= {"split": Out(geometry.lane_bits)}
        if count_panels:
            members["panel"] = Out(max(1, geometry.address_bits - 1))
        super().__init__(f"cursor_{name}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        g = self.geometry
        base, _ = at_start(m, self, "base", g.address_bits, held=self.held)
        # Where there is a second panel, a panel is at most half the memory.
        stride, walked_stride = at_start(m, self, "stride", max(1, (g.words // 2).bit_length()), held=self.held)
        if len(self.paths) > 1:
            sampled, walked = at_start(m, self, "dataflow", Dataflow, held=self.held)
            self._runs = self._each(m, sampled, "runs")
        events = Events(self.start, self.inner_step, self.middle_step, self.outer_step)
        i = row_axis(m, {d: p.i for d, p in self.paths.items()}, events, self._choose, max(g.address_bits, g.lane_bits))
        j = PanelAxis(
            m,
            {d: p.j for d, p in self.paths.items()},
            events,
            self._choose,
            lanes=g.lanes,
            lane_bits=g.lane_bits if g.banked else 0,
            address_bits=g.address_bits,
            base=base,
            stride=stride,
        )
        address = Signal(g.address_bits)
        m.d.comb += [address.eq(j.panel + i), self.address.eq(data_register(m, address, "request"))]
        if self.count_panels:
            m.d.comb += self.panel.eq(data_register(m, j.number, "request_panel"))
        if g.banked:
            # In the cycle of ``start`` the request is still that of the last step of the path before.
            if len(self.paths) > 1:
                self._runs = self._each(m, walked, "walked")
            column = self._choose({d: Value.cast(int(p.column)) for d, p in self.paths.items()})
            following = (address + walked_stride)[: g.address_bits]
            turn = (i + j.lane)[: g.lane_bits]
            request = {"next_panel": following, "column": column, "split": j.lane, "rotate": turn}
            for port, value in request.items():
                if port in self.signature.members:
                    m.d.comb += getattr(self, port).eq(data_register(m, value, f"request_{port}"))
        return m

    def _each(self, m: Module, dataflow: Value, name: str) -> dict[Dataflow, Signal]:
        """Whether ``dataflow`` is that of a path; of the first one nobody asks."""
        return {d: named(m, dataflow == d.value, f"{name}_{d.name.lower()}") for d in list(self.paths)[1:]}

    def _choose(self, values: Mapping[Dataflow, Any]) -> Value:
        """``values`` of the running dataflow."""
        first, *rest = values
        chosen = Value.cast(values[first])
        for dataflow in rest:
            if repr(values[dataflow]) != repr(values[first]):
                chosen = Mux(self._runs[dataflow], values[dataflow], chosen)
        return chosen


def at_start(m: Module, cursor: Any, name: str, shape: ShapeLike, *, held: bool = False) -> tuple[Signal, Signal]:
    """The input ``name`` of ``cursor`` as it was at its last ``start``: from that very cycle on, and from the next."""
    value, kept = Signal(shape, name=f"{name}_now"), Signal(shape, name=f"{name}_kept")
    if held:
        m.d.comb += [value.eq(getattr(cursor, name)), kept.eq(value)]
        return value, kept
    m.d.sync += kept.eq(value)
    m.d.comb += value.eq(Mux(cursor.start, getattr(cursor, name), kept))
    return value, kept
