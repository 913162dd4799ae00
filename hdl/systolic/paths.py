"""Where each sequencer's steps lie in A, B and C."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.hdl.systolic.axis import Axis
from tilewright.hdl.systolic.cursor import Path
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow

WS, OS, IS = Dataflow


def _held(p: CoreParameters) -> Axis:
    """K groups of a tile to hold: what is shifted in first ends in the bottom row; what is passed down, in the top."""
    if p.element.hop > 1:
        return Axis("outer", p.rows, inner=1)
    return _last_first(p.rows)


def _last_first(rows: int) -> Axis:
    """Rows of a tile, the last one first."""
    return Axis("outer", rows, inner=-1, first=rows - 1)


def streamed_a(p: CoreParameters) -> Mapping[Dataflow, Path]:
    """A (M x KG) while it streams: WS a row's K groups, OS a column of M."""
    return {
        WS: Path(Axis(inner=1), Axis("outer", p.rows)),
        OS: Path(Axis("outer", p.rows), Axis(inner=1), column=True),
    }


def streamed_b(p: CoreParameters) -> Mapping[Dataflow, Path]:
    """B (KG x N) while it streams: OS a row of N, IS a column of K groups."""
    return {
        OS: Path(Axis(inner=1), Axis("middle", p.cols)),
        IS: Path(Axis("outer", p.rows), Axis(inner=1), column=True),
    }


def held_b(p: CoreParameters) -> Mapping[Dataflow, Path]:
    """B to hold: rows of N."""
    return {WS: Path(_held(p), Axis("middle", p.cols))}


def held_a(p: CoreParameters) -> Mapping[Dataflow, Path]:
    """A to hold: columns of M."""
    return {IS: Path(Axis("middle", p.cols), _held(p), column=True)}


def words_of_c(p: CoreParameters) -> Mapping[Dataflow, Path]:
    """C (M x N): WS rows of N, M innermost; OS the rows of a tile, bottom first; IS columns of M, N innermost."""
    return {
        WS: Path(Axis(inner=1), Axis("middle", p.cols)),
        OS: Path(_last_first(p.rows), Axis("middle", p.cols)),
        IS: Path(Axis("middle", p.cols), Axis(inner=1), column=True),
    }


def possible(p: CoreParameters, paths: Mapping[Dataflow, Path]) -> dict[Dataflow, Path]:
    """Those of ``paths`` that the core can be asked for."""
    return {d: path for d, path in paths.items() if p.has(d)}
