"""How sequencers go through commands: one after the other, fold after fold, with cursors that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from amaranth.hdl import Module, Signal, Value, ValueLike
from amaranth.lib.wiring import Member, Out

from tilewright.hdl.structure import named, place
from tilewright.hdl.systolic.extents import connect_nest, constant_tiles, is_dataflow
from tilewright.hdl.systolic.nest import Nest
from tilewright.hdl.systolic.parameters import Dataflow

_REQUEST = ("address", "next_panel", "column", "split", "rotate", "panel")


class CommandWalk:
    """Commands one after the other: the next is taken as soon as the one before has made its last step; where they are
    done in turn, none comes earlier.

    Attributes
    ----------
    nest: the loops of the command
    dataflow: that of the command taken last
    holds: a command is under way
    """

    def __init__(
        self,
        m: Module,
        platform: Any,
        walker: Any,
        step: Value,
        *,
        inner: str,
        dataflows: Sequence[Dataflow] = (),
        walked: ValueLike = 1,
    ) -> None:
        """``step``: the command that is under way makes one; ``walked``: the command to take has any; ``inner``,
        ``dataflows`` (all where none is told): see `connect_nest`."""
        p = walker.parameters
        nest = self.nest = Nest(p.extent_bits, p.tile_bits, held=p.in_turn, tiles=constant_tiles(p))
        m.submodules.nest = place(platform, nest)
        self.dataflow = Signal(Dataflow, name="dataflow")
        connect_nest(m, p, nest, walker.command, self.dataflow, inner, dataflows or p.dataflows)
        self.holds = Signal(name="holds_command")
        ends = named(m, step & nest.last, "command_ends")
        m.d.comb += [
            walker.take.eq(walker.valid if p.in_turn else walker.valid & (~self.holds | ends)),
            nest.start.eq(walker.take),
            nest.step.eq(step),
        ]
        with m.If(walker.take):
            m.d.sync += [self.holds.eq(walked), self.dataflow.eq(walker.command.dataflow)]
        with m.Elif(ends):
            m.d.sync += self.holds.eq(0)


class FoldWalk(CommandWalk):
    """Folds one after the other: one step a cycle from ``go`` on, and the next fold as soon as ``go`` allows.

    Attributes
    ----------
    active: a step is made in this cycle
    fold_ends: it is the last of its fold
    wants: a fold is there to start in the next cycle; pending: it has waited before
    go: it starts; for the sequencer to decide
    """

    def __init__(
        self,
        m: Module,
        platform: Any,
        walker: Any,
        *,
        inner: str,
        dataflows: Sequence[Dataflow] = (),
        walked: ValueLike = 1,
    ) -> None:
        self.active, self.go = Signal(name="active"), Signal(name="go")
        super().__init__(m, platform, walker, self.active, inner=inner, dataflows=dataflows, walked=walked)
        nest = self.nest
        self.pending = Signal(name="pending")
        self.fold_ends = named(m, self.active & nest.inner_last, "fold_ends")
        self.wants = named(m, (walker.take & walked) | (self.fold_ends & ~nest.last) | self.pending, "wants")
        m.d.sync += [
            self.pending.eq(self.wants & ~self.go),
            self.active.eq(self.go | (self.active & ~nest.inner_last)),
        ]


def request_ports(cursor: Any) -> list[str]:
    """Names of a cursor's request ports."""
    return [name for name in _REQUEST if name in cursor.signature.members]


def cursor_members(cursors: Mapping[str, Any]) -> dict[str, Member]:
    """Ports ``<matrix>_<request port>`` of a sequencer with these cursors; ``<matrix>_active`` says that it asks."""
    return {f"{matrix}_active": Out(1) for matrix in cursors} | {
        f"{matrix}_{port}": Out(len(getattr(cursor, port)))
        for matrix, cursor in cursors.items()
        for port in request_ports(cursor)
    }


def connect_cursors(m: Module, platform: Any, walker: Any, nest: Nest, active: Value, dataflow: Value) -> None:
    """Places ``walker.cursors``: they follow ``nest`` through the matrices of ``walker.command``.

    ``active``: there is a step in this cycle; ``dataflow``: that of the command it belongs to.
    """
    place_cursors(m, platform, walker)
    for matrix, cursor in walker.cursors.items():
        m.d.comb += [
            cursor.start.eq(nest.start),
            cursor.inner_step.eq(nest.inner_step),
            cursor.middle_step.eq(nest.middle_step),
            cursor.outer_step.eq(nest.outer_step),
        ]
        if len(cursor.paths) > 1:
            m.d.comb += cursor.dataflow.eq(walker.command.dataflow)
        asks = active & is_dataflow(walker.parameters, dataflow, *cursor.paths)
        m.d.sync += getattr(walker, f"{matrix}_active").eq(asks)


def place_cursors(m: Module, platform: Any, walker: Any) -> None:
    """Places ``walker.cursors``, gives them the matrices of ``walker.command``, and connects their requests."""
    command = walker.command
    rows = {"a": command.m, "b": command.kg, "c": command.m}
    for matrix, cursor in walker.cursors.items():
        m.submodules[f"cursor_{matrix}"] = place(platform, cursor)
        m.d.comb += [cursor.base.eq(getattr(command, matrix).low), cursor.stride.eq(rows[matrix])]
        for port in request_ports(cursor):
            m.d.comb += getattr(walker, f"{matrix}_{port}").eq(getattr(cursor, port))
