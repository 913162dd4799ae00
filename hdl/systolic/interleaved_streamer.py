"""The sequencer of output-stationary wavefronts whose add takes several cycles: several tiles by turns."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block, data_register, named
from tilewright.hdl.systolic.axis import times
from tilewright.hdl.systolic.decoder import DECODED
from tilewright.hdl.systolic.interleaved_cursor import InterleavedCursor
from tilewright.hdl.systolic.mask import capped
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.paths import streamed_a, streamed_b
from tilewright.hdl.systolic.walk import CommandWalk, cursor_members, place_cursors


class InterleavedStreamer(Block):
    """Walks the operands of every command and decides when a tile may start; all commands are output-stationary.

    With an add of ``L`` cycles a tile makes a step every ``L`` cycles, and up to ``L`` tiles go on by turns, one in
    each cycle. A tile starts, in the turn after that of the tile before, when its seeds are in the chain; when the tile
    whose turn it takes over has ended; when its last step is ``rows`` cycles or more after that of the tile before
    (the drain must be free); and when no earlier command in flight has a C that overlaps this command's. The first
    tile of a command that finds no other one at work takes any turn. One wavefront a cycle while ``L`` tiles are there.

    Members
    -------
    As those of `Streamer`.
    """

    def __init__(self, parameters: CoreParameters) -> None:
        p = self.parameters = parameters
        turns = p.add_latency
        self.cursors = {
            "a": InterleavedCursor("stream_a", p.a_memory, streamed_a(p)[Dataflow.OS], turns),
            "b": InterleavedCursor("stream_b", p.b_memory, streamed_b(p)[Dataflow.OS], turns),
        }
        members: dict[str, Any] = {"valid": In(1), "command": In(DECODED), "take": Out(1), "clear": In(1)}
        members |= {"tile_ready": In(1), "active": Out(1), "first": Out(1), "last": Out(1), "output_stationary": Out(1)}
        members |= {"count": Out((p.rows * p.vector).bit_length())}
        members |= {"start_fold": Out(1), "waiting": Out(1), "idle": Out(1)}
        super().__init__("interleaved_streamer", members | cursor_members(self.cursors))

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p, go = self.parameters, Signal(name="go")
        tiles = CommandWalk(m, platform, self, go, inner="tiles")
        values = Signal(p.extent_bits, name="values", reset_less=True)
        groups = Signal(p.extent_bits, name="groups", reset_less=True)
        fresh = Signal(name="first_tile")
        with m.If(self.take):
            m.d.sync += [values.eq(self.command.k), groups.eq(self.command.kg), fresh.eq(1)]
        with m.Elif(go):
            m.d.sync += fresh.eq(0)

        active, left = Signal(name="active_now"), Signal(p.extent_bits, name="left_now", reset_less=True)
        last = named(m, active & (left <= p.vector), "last_now")
        goes_on = named(m, active & ~last, "goes_on_now")
        others = [goes_on]  # of the tiles of the turns before
        for turn in range(1, p.add_latency):
            kept = Signal(name=f"goes_on_{turn}")
            m.d.sync += kept.eq(others[-1])
            others.append(kept)
        past_left: Value = left
        for turn in range(1, p.add_latency):
            past_left = data_register(m, past_left, f"left_{turn}")
        m.d.sync += [active.eq(go | others[-1]), left.eq(Mux(go, values, past_left - p.vector))]

        alone = named(m, ~Cat(others).any(), "no_tile_goes_on")
        turn_is_next = self._turn_is_next(m, go)
        may = named(m, ~others[-1] & (turn_is_next | (alone & fresh)), "has_its_turn")
        in_order = self._ends_in_order(m, go, groups)
        # That of the command taken last, if a cycle late: `clear` itself depends on `take`, and that on the last tile.
        clear = data_register(m, self.clear, "was_clear")
        m.d.comb += [
            go.eq(tiles.holds & self.tile_ready & clear & may & in_order),
            self.start_fold.eq(go),
            self.active.eq(active),
            self.first.eq(data_register(m, go, "first_now")),
            self.last.eq(last),
            self.output_stationary.eq(1),
            self.count.eq(capped(m, left, p.rows * p.vector, "count")),
            self.idle.eq(~tiles.holds),
            self.waiting.eq(tiles.holds),
        ]
        place_cursors(m, platform, self)
        for matrix, cursor in self.cursors.items():
            m.d.comb += [
                cursor.start.eq(tiles.nest.start),
                cursor.middle_step.eq(tiles.nest.middle_step),
                cursor.outer_step.eq(tiles.nest.outer_step),
                cursor.begins.eq(go),
            ]
            m.d.sync += getattr(self, f"{matrix}_active").eq(active)
        return m

    def _turn_is_next(self, m: Module, go: Value) -> Value:
        """Whether a tile that starts in the next cycle has the turn after that of the tile that started last."""
        turns = self.parameters.add_latency
        since = Signal(range(turns), name="turn")
        m.d.sync += since.eq(Mux(go, 1 % turns, Mux(since == turns - 1, 0, since + 1)))
        return named(m, since == 1 % turns, "turn_is_next")

    def _ends_in_order(self, m: Module, go: Value, groups: Value) -> Value:
        """Whether a tile that starts in the next cycle ends ``rows`` cycles or more after the one that started last."""
        p = self.parameters
        lasts = named(m, times((groups - 1)[: p.extent_bits], p.add_latency), "lasts")
        bits = len(lasts) + 1
        until = Signal(bits, name="until_its_end")
        m.d.sync += until.eq(Mux(go, lasts + (p.rows - 1), Mux(until == 0, 0, until - 1)))
        return named(m, lasts >= until, "ends_in_order")
