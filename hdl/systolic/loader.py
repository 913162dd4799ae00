"""The sequencer that shifts what the next fold needs into the array: held operands (WS, IS), seeds (OS)."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block, named
from tilewright.hdl.systolic.cursor import Cursor
from tilewright.hdl.systolic.decoder import DECODED
from tilewright.hdl.systolic.extents import is_dataflow
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.paths import held_a, held_b, possible
from tilewright.hdl.systolic.walk import FoldWalk, connect_cursors, cursor_members


class Loader(Block):
    """Walks one fold ahead of the streamer: ``rows`` steps a fold, bottom row first.

    Its steps read the operand to hold (WS, IS), or, where sums start inside the array, the words of C that an OS tile
    starts from; those must not be read before earlier commands have written them (``clear``).

    A fold's load may start in the cycle in which the fold before it starts to stream. The first load of a command
    whose dataflow differs from that of the command before waits until everything before it has streamed, because the
    memory that it reads may be streaming until then.

    Members
    -------
    valid, command, take: the command table's ``load_*``
    start_fold, waiting, idle: the streamer's
    clear: the command table's ``load_clear``
    active: a row is read for the chain in this cycle
    last: it is the last of its fold; output_stationary: it is one of seeds
    count: values along K that are left, those of this row included; `capped` by those of an element
    tile_ready: the tile for the next fold is in the chain at the end of this cycle
    a_*, b_*: scratchpad requests of this step, one cycle later
    """

    def __init__(self, parameters: CoreParameters) -> None:
        p = self.parameters = parameters
        self.cursors = {
            name: Cursor(f"hold_{name}", geometry, paths, held=p.in_turn)
            for name, geometry, paths in (
                ("a", p.a_memory, possible(p, held_a(p))),
                ("b", p.b_memory, possible(p, held_b(p))),
            )
            if paths
        }
        members: dict[str, Any] = {"valid": In(1), "command": In(DECODED), "take": Out(1)}
        members |= {"start_fold": In(1), "waiting": In(1), "idle": In(1), "clear": In(1)}
        members |= {
            "active": Out(1),
            "last": Out(1),
            "output_stationary": Out(1),
            "count": Out(p.vector.bit_length()),
            "tile_ready": Out(1),
        }
        members |= cursor_members(self.cursors)
        super().__init__("loader", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        # An output-stationary command holds no operand; where sums start inside the array its seeds are loaded instead.
        held = Const(1) if p.seeded else ~is_dataflow(p, self.command.dataflow, Dataflow.OS)[0]
        dataflows = p.dataflows if p.seeded else tuple(d for d in p.dataflows if d != Dataflow.OS)
        folds = FoldWalk(m, platform, self, inner="rows", dataflows=dataflows, walked=held)
        nest, active, dataflow = folds.nest, folds.active, folds.dataflow

        loaded = Signal()
        empty = named(m, ~(loaded | active), "empty")
        may_start = self._may_start(m, folds, empty)
        next_dataflow = Mux(self.take, self.command.dataflow, dataflow)
        seeds = is_dataflow(p, next_dataflow, Dataflow.OS) if p.seeded else Const(0)
        m.d.comb += [
            folds.go.eq(folds.wants & (~seeds | self.clear) & may_start),
            self.tile_ready.eq(loaded | folds.fold_ends),
        ]
        m.d.sync += loaded.eq(self.tile_ready & ~self.start_fold)

        m.d.comb += [
            self.active.eq(active),
            self.output_stationary.eq(is_dataflow(p, dataflow, Dataflow.OS)),
            self.last.eq(nest.inner_last),
            self.count.eq(self._count(m, nest)),
        ]
        connect_cursors(m, platform, self, nest, active, dataflow)
        return m

    def _count(self, m: Module, nest: Any) -> Value:
        """Values along K that are left for the row of this step, and for those above it ``vector`` each."""
        shift = self.parameters.vector.bit_length() - 1
        beyond = named(m, nest.outer_left - (nest.inner_left << shift), "beyond")
        some = Mux(beyond[shift:].all(), beyond[:shift], 0)
        return Mux(beyond[-1], some, self.parameters.vector)

    def _may_start(self, m: Module, folds: FoldWalk, empty: Value) -> Value:
        """Whether chain and memory are free for the next fold."""
        same = empty | self.start_fold
        if len(self.parameters.dataflows) == 1:
            return same
        changed = Signal()
        differs = self.command.dataflow != folds.dataflow
        other = named(m, Mux(self.take, differs, folds.pending & changed), "other_dataflow")
        m.d.sync += changed.eq(other)
        return named(m, Mux(other, empty & Mux(self.take, self.idle, self.waiting), same), "may_start")
