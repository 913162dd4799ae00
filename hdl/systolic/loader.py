"""The sequencer that shifts what the next fold needs into the array: held operands (WS, IS), seeds (OS)."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block, place
from tilewright.hdl.systolic.cursor import Cursor
from tilewright.hdl.systolic.decoder import DECODED
from tilewright.hdl.systolic.extents import connect_nest, is_dataflow
from tilewright.hdl.systolic.nest import Nest
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.paths import held_a, held_b, possible
from tilewright.hdl.systolic.walk import connect_cursors, cursor_members


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
    count: values of each element that exist
    tile_ready: the tile for the next fold is in the chain at the end of this cycle
    a_*, b_*: scratchpad requests of this step, one cycle later
    """

    def __init__(self, parameters: CoreParameters) -> None:
        p = self.parameters = parameters
        self.cursors = {
            name: Cursor(f"hold_{name}", geometry, paths)
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
            "count": Out(16),
            "tile_ready": Out(1),
        }
        members |= cursor_members(self.cursors)
        super().__init__("loader", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        nest = Nest()
        m.submodules.nest = place(platform, nest)
        connect_nest(m, p, nest, self.command, inner="rows")

        holds_command = Signal()
        active = Signal()
        pending = Signal()
        changed = Signal()
        loaded = Signal()
        previous = Signal(2)
        fold_ends = Signal()
        # An output-stationary command holds no operand; where sums start inside the array its seeds are loaded instead.
        held = Const(1) if p.seeded else ~is_dataflow(p, self.command.dataflow, Dataflow.OS)[0]
        m.d.comb += [
            fold_ends.eq(active & nest.inner_last),
            self.take.eq(self.valid & (~holds_command | (active & nest.last))),
            nest.start.eq(self.take),
            nest.step.eq(active),
        ]
        with m.If(self.take):
            m.d.sync += [holds_command.eq(held), previous.eq(self.command.dataflow)]
        with m.Elif(active & nest.last):
            m.d.sync += holds_command.eq(0)

        wants = Signal()
        go = Signal()
        command_next = Signal()
        begins_command = Signal()
        dataflow_next = Mux(self.take, self.command.dataflow, previous)
        seeds = is_dataflow(p, dataflow_next, Dataflow.OS) if p.seeded else Const(0)
        differs: Value = Const(0)
        if len(p.dataflows) > 1:
            differs = Mux(self.take, self.command.dataflow != previous, pending & changed)
        empty = ~(loaded | active)
        m.d.comb += [
            wants.eq((self.take & held) | (fold_ends & ~nest.last) | pending),
            command_next.eq(self.take | (pending & begins_command)),
            go.eq(
                wants
                & (~(seeds & command_next) | self.clear)
                & Mux(differs, empty & Mux(self.take, self.idle, self.waiting), empty | self.start_fold)
            ),
            self.tile_ready.eq(loaded | fold_ends),
        ]
        m.d.sync += [
            pending.eq(wants & ~go),
            changed.eq(differs),
            begins_command.eq(command_next),
            active.eq(go | (active & ~nest.inner_last)),
            loaded.eq(self.tile_ready & ~self.start_fold),
        ]
        left = Signal(17)
        m.d.comb += [
            left.eq(nest.outer_left - ((nest.inner_left - 1) << (p.vector.bit_length() - 1))),
            self.active.eq(active),
            self.output_stationary.eq(is_dataflow(p, previous, Dataflow.OS)),
            self.last.eq(nest.inner_last),
            self.count.eq(Mux(left[16], 0, Mux(left < p.vector, left, p.vector))),
        ]
        connect_cursors(m, platform, self, nest, active, previous)
        return m
