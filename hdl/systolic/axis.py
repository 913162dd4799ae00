"""One coordinate of an access and how it moves with a loop nest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from amaranth.hdl import Const, Module, Mux, Signal, Value

from tilewright.hdl.structure import named
from tilewright.hdl.systolic.parameters import Dataflow

Choose = Callable[[Mapping[Dataflow, Any]], Value]
"""Picks the running dataflow's value."""


@dataclass(frozen=True)
class Axis:
    """How one coordinate of an access moves with the loops.

    ``tile`` names the loop whose steps add ``step`` to it (it starts anew when a loop outside that one advances);
    every inner step adds ``inner`` (-1, 0, 1) on top, from ``first`` on.
    """

    tile: Literal["outer", "middle"] | None = None
    step: int = 0
    inner: int = 0
    first: int = 0


@dataclass(frozen=True)
class Events:
    """What advances at the end of this cycle; at most one, ``start`` wins."""

    start: Value
    inner: Value
    middle: Value
    outer: Value


def times(value: Value, factor: int) -> Value:
    """``value * factor`` as shifts and adds, so that no multiplier block goes into addresses."""
    total: Value = Const(0)
    for bit in range(factor.bit_length()):
        if factor >> bit & 1:
            total = total + (value << bit)
    return total


def move(
    m: Module,
    label: str,
    registers: list[tuple[Signal, Signal]],
    axes: Mapping[Dataflow, Axis],
    events: Events,
    choose: Choose,
    *,
    first: list[Value],
    further: list[Value],
    inner: list[Value],
) -> None:
    """Moves ``registers``, pairs of (now, start of the tile), as ``axes`` say; ``label`` names the coordinate.

    ``first`` are the values at the very beginning, ``further`` at the next tile, ``inner`` after one inner step.
    """
    advance = choose(
        {d: {"outer": events.outer, "middle": events.middle}.get(a.tile or "", Const(0)) for d, a in axes.items()}
    )
    advance = named(m, advance, f"{label}_advances")
    stays = choose({d: Const(int(a.tile != "outer")) for d, a in axes.items()})  # in the first tile, by outer steps
    further = [named(m, v, f"{tile.name}_further") for (_, tile), v in zip(registers, further, strict=True)]
    with m.If(named(m, events.start | (events.outer & stays), f"{label}_restarts")):
        m.d.sync += [r.eq(v) for pair, v in zip(registers, first, strict=True) for r in pair]
    with m.Elif(advance):
        m.d.sync += [r.eq(v) for pair, v in zip(registers, further, strict=True) for r in pair]
    with m.Elif(events.middle):  # back to the start of the tile; without tiles of the outer loop that is the first one
        starts = zip(registers, first, strict=True)
        back = [choose({d: tile if a.tile == "outer" else v for d, a in axes.items()}) for (_, tile), v in starts]
        m.d.sync += [now.eq(v) for (now, _), v in zip(registers, back, strict=True)]
    with m.Elif(events.inner):
        m.d.sync += [now.eq(v) for (now, _), v in zip(registers, inner, strict=True)]


def row_axis(m: Module, axes: Mapping[Dataflow, Axis], events: Events, choose: Choose, bits: int) -> Signal:
    """The low ``bits`` of the row coordinate ``i``."""
    now, tile = (Signal(bits, name=name, reset_less=True) for name in ("i", "i_tile"))
    move(
        m,
        "i",
        [(now, tile)],
        axes,
        events,
        choose,
        first=[choose({d: Const(a.first, bits) for d, a in axes.items()})],
        further=[tile + choose({d: Const(a.step, bits) for d, a in axes.items()})],
        inner=[now + choose({d: Const(a.inner, bits) for d, a in axes.items()})],
    )
    return now


class PanelAxis:
    """The column coordinate ``j``, kept as ``panel`` (word of the panel's first row), ``lane`` and panel ``number``."""

    def __init__(
        self,
        m: Module,
        axes: Mapping[Dataflow, Axis],
        events: Events,
        choose: Choose,
        *,
        lanes: int,
        lane_bits: int,
        address_bits: int,
        base: Value,
        stride: Value,
    ) -> None:
        # The number is used where a row of bias lies beside the matrix, which then has at most half the words.
        widths = {"panel": address_bits, "lane": lane_bits, "number": max(1, address_bits - 1)}
        now, tile = (
            [Signal(w, name=f"{kind}_{n}", reset_less=True) for n, w in widths.items()] for kind in ("j", "j_tile")
        )
        self.panel, self.lane, self.number = now
        self._lanes, self._lane_bits, self._stride, self._choose = lanes, lane_bits, stride, choose
        origin = [base, Const(0, lane_bits), Const(0)]
        steps = {1: self._up(now), -1: self._down(now), 0: list[Value](now)}
        move(
            m,
            "j",
            list(zip(now, tile, strict=True)),
            axes,
            events,
            choose,
            first=self._plus(origin, {d: a.first for d, a in axes.items()}),
            further=self._plus(list[Value](tile), {d: a.step for d, a in axes.items()}),
            inner=[choose({d: steps[a.inner][part] for d, a in axes.items()}) for part in range(3)],
        )

    def _plus(self, place: list[Value], by: Mapping[Dataflow, int]) -> list[Value]:
        """``place`` moved ``by`` columns to the right."""
        if not any(by.values()):
            return place
        bits = self._lane_bits
        panels = {d: s // self._lanes for d, s in by.items()}
        jump = place[0] + self._choose({d: times(self._stride, n) for d, n in panels.items()})
        number = place[2] + self._choose({d: Const(n, 9) for d, n in panels.items()})
        if bits == 0:
            return [jump, place[1], number]
        lane = Value.cast(place[1] + self._choose({d: Const(s % self._lanes, bits) for d, s in by.items()}))
        return [jump + Mux(lane[bits], self._stride, 0), lane[:bits], number + lane[bits]]

    def _up(self, now: list[Signal]) -> list[Value]:
        edge = now[1] == self._lanes - 1 if self._lane_bits else Const(1)
        return [now[0] + Mux(edge, self._stride, 0), now[1] + 1, now[2] + edge]

    def _down(self, now: list[Signal]) -> list[Value]:
        edge = now[1] == 0 if self._lane_bits else Const(1)
        return [now[0] - Mux(edge, self._stride, 0), now[1] - 1, now[2] - edge]
