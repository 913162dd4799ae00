"""The loops of a command, by dataflow: the schedule that all sequencers share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Mux, Value

from tilewright.hdl.structure import named
from tilewright.hdl.systolic.nest import Nest
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow

# WS and IS: K is the outer loop, so that every fold adds to the C of the one before it.
# OS: tiles of C one after the other, K innermost.


def is_dataflow(p: CoreParameters, dataflow: Value, *wanted: Dataflow) -> Value:
    """Whether the command's ``dataflow`` is one of ``wanted``; a constant where the core cannot choose."""
    held = [d for d in wanted if p.has(d)]
    if len(held) in (0, len(p.dataflows)):
        return Const(int(bool(held)))
    found: Value = Const(0)
    for d in held:
        found = found | (dataflow == d.value)
    return found[0]


def connect_nest(
    m: Module, p: CoreParameters, nest: Nest, command: Any, running: Value, inner: str, dataflows: Sequence[Dataflow]
) -> None:
    """Gives ``nest`` the extents of ``command`` to sample, and tiles of the command of dataflow ``running``.

    ``dataflows`` are those of the commands that are walked; ``inner`` says what the innermost loop walks.
    ``stream``: the streamed wavefronts (OS: K, in elements; WS: M; IS: N). ``rows``: the rows of the array.
    ``words``: the words of C that a fold makes (OS: the rows; WS: M; IS: N). ``tiles``: nothing, a step is a fold.
    """

    def only(dataflow: Value, wanted: Dataflow, name: str) -> Value:
        if len(dataflows) == 1 or wanted not in dataflows:
            return Const(int(wanted in dataflows))
        return named(m, is_dataflow(p, dataflow, wanted), name)

    out = only(command.dataflow, Dataflow.OS, "takes_os")
    hold_a = only(command.dataflow, Dataflow.IS, "takes_is")
    walks_out = only(running, Dataflow.OS, "walks_os")
    streamed = Mux(hold_a, command.n, command.m)
    m.d.comb += [
        nest.outer.eq(Mux(out, command.m, command.k)),
        nest.middle.eq(Mux(hold_a, command.m, command.n)),
        nest.inner.eq(
            {"stream": Mux(out, command.k, streamed), "rows": p.rows, "words": Mux(out, p.rows, streamed), "tiles": 1}[
                inner
            ]
        ),
    ]
    if nest.tiles is None:
        m.d.comb += [
            nest.outer_tile.eq(Mux(walks_out, p.rows, p.rows * p.vector)),
            nest.middle_tile.eq(p.cols),
            nest.inner_tile.eq(Mux(walks_out, p.vector, 1) if inner == "stream" else 1),
        ]


def constant_tiles(p: CoreParameters) -> dict[str, int] | None:
    """Tiles of a core that does one thing at a time, where weights stay."""
    return {"outer": p.rows * p.vector, "middle": p.cols, "inner": 1} if p.in_turn else None
