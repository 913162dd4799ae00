"""The sequencer that starts wavefronts: one a cycle, fold after fold, command after command."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block, data_register, named
from tilewright.hdl.systolic.cursor import Cursor
from tilewright.hdl.systolic.decoder import DECODED
from tilewright.hdl.systolic.extents import is_dataflow
from tilewright.hdl.systolic.mask import capped
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.paths import possible, streamed_a, streamed_b
from tilewright.hdl.systolic.walk import FoldWalk, connect_cursors, cursor_members


class Streamer(Block):
    """Walks the streamed operands of every command and decides when a fold may start.

    A fold starts when the one before it has streamed; when the tile it needs is in the chain (WS, IS); when its last
    step is ``rows`` cycles after that of the tile before (OS: the drain must be free); when the partial sums that it
    reads are written (WS, IS, from the second K fold on: ``read_after_write`` cycles after the fold before it
    started); and when no earlier command in flight has a C that overlaps this command's. One wavefront a cycle.

    Members
    -------
    valid, command, take, clear: the command table's ``stream_*``
    tile_ready: the tile for the next fold is in the chain at the end of this cycle
    active: a wavefront starts in this cycle; with it:
    first, last: it is the first or last of its fold; output_stationary: of an OS command
    count: values along K that are left, those of this step included; `capped` by those of a word
    start_fold: a fold that the loader serves starts in the next cycle
    waiting: a fold that the loader serves has not started, and all before it has streamed
    idle: everything taken has streamed
    a_*, b_*: scratchpad requests of this step, one cycle later (a_output_stationary: of an OS step)
    """

    def __init__(self, parameters: CoreParameters, read_after_write: int) -> None:
        p = self.parameters = parameters
        self.read_after_write = read_after_write
        self.cursors = {
            name: Cursor(f"stream_{name}", geometry, paths, held=p.in_turn)
            for name, geometry, paths in (
                ("a", p.a_memory, possible(p, streamed_a(p))),
                ("b", p.b_memory, possible(p, streamed_b(p))),
            )
            if paths
        }
        members: dict[str, Any] = {"valid": In(1), "command": In(DECODED), "take": Out(1), "clear": In(1)}
        members |= {"tile_ready": In(1), "active": Out(1), "first": Out(1), "last": Out(1), "output_stationary": Out(1)}
        members |= {
            "count": Out((p.rows * p.vector).bit_length()),
            "start_fold": Out(1),
            "waiting": Out(1),
            "idle": Out(1),
        }
        members |= cursor_members(self.cursors) | {"a_output_stationary": Out(1)}
        super().__init__("streamer", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        folds = FoldWalk(m, platform, self, inner="stream")
        nest, active, dataflow = folds.nest, folds.active, folds.dataflow
        taken_groups = capped(m, self.command.kg, p.rows, "groups")
        groups = Signal(len(taken_groups), reset_less=True)
        with m.If(self.take):
            m.d.sync += groups.eq(taken_groups)

        # What starts next: the first fold of a command taken now, the next fold, or one that is waiting already.
        next_dataflow = named(m, Mux(self.take, self.command.dataflow, dataflow), "next_dataflow")
        next_groups = named(m, Mux(self.take, taken_groups, groups), "next_groups")
        out = named(m, is_dataflow(p, next_dataflow, Dataflow.OS), "next_os")
        loaded = self.tile_ready if p.seeded else self.tile_ready | out
        free = named(m, self._drain_free(m, folds.fold_ends, dataflow, next_groups), "drain_free")
        written = named(m, self._written(m, folds) | out, "written")
        m.d.comb += [
            folds.go.eq(folds.wants & loaded & free & self.clear & written),
            self.start_fold.eq(folds.go if p.seeded else folds.go & ~out),
        ]
        m.d.sync += self.first.eq(folds.go)

        now_os = self.output_stationary
        m.d.comb += [
            self.active.eq(active),
            self.last.eq(nest.inner_last),
            now_os.eq(is_dataflow(p, dataflow, Dataflow.OS)),
            self.count.eq(capped(m, Mux(now_os, nest.inner_left, nest.outer_left), p.rows * p.vector, "count")),
            self.a_output_stationary.eq(data_register(m, now_os, "step_os")),
            self.idle.eq(~folds.holds),
            self.waiting.eq(folds.pending if p.seeded else folds.pending & ~now_os),
        ]
        connect_cursors(m, platform, self, nest, active, dataflow)
        return m

    def _drain_free(self, m: Module, fold_ends: Signal, dataflow: Signal, groups: Value) -> Value:
        """Whether an OS tile of ``groups`` steps that starts in the next cycle ends when the drain is free.

        For another fold it always is: loading its tile takes as long as the drain.
        """
        rows = self.parameters.rows
        if not self.parameters.has(Dataflow.OS):
            return Const(1)
        since = Signal(range(rows + 1), init=rows)
        now = Signal.like(since)
        ends = fold_ends & is_dataflow(self.parameters, dataflow, Dataflow.OS)
        m.d.comb += now.eq(Mux(ends, 0, since))
        m.d.sync += since.eq(Mux(now == rows, rows, now + 1))
        return (now + groups) >= rows

    def _written(self, m: Module, folds: FoldWalk) -> Value:
        """Whether a fold that starts in the next cycle reads the sums of the K fold before only after their write."""
        limit = self.read_after_write
        # A fold lasts at least as many cycles as it takes to load its tile: one a row.
        if limit <= self.parameters.rows or not self.parameters.has(Dataflow.WS, Dataflow.IS):
            return Const(1)
        begins_command, begins_outer = Signal(name="begins_command"), Signal(name="begins_outer")
        command_next = named(m, self.take | (folds.pending & begins_command), "command_next")
        outer_next = named(m, folds.nest.outer_step | (folds.pending & begins_outer), "outer_next")
        age = Signal(range(limit + 1))
        m.d.sync += [
            begins_command.eq(command_next),
            begins_outer.eq(outer_next),
            age.eq(Mux(folds.go & (command_next | outer_next), 1, Mux(age == limit, limit, age + 1))),
        ]
        return ~outer_next | (age == limit)
