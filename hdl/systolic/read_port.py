"""Gives a matrix from a scratchpad as a stream."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory import Geometry
from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.structure import Block, Delay, masked, named, place
from tilewright.hdl.systolic.mask import capped
from tilewright.hdl.systolic.transfer import Move, State, Transfer, transfer_members


class ReadPort(Block):
    """Reads out a matrix of ``command.rows`` x ``command.cols`` elements, row-major, up to one beat a cycle.

    A beat carries ``lanes`` elements of a row; a row starts on a new beat, elements beyond its end are zero and not
    in ``keep``; ``last`` ends the matrix. The answer follows the last beat; a refused read-out gives no beat.

    Members
    -------
    command, answer, beats, span, region, active, fresh, in_use, hold: see `transfer_members`
    read, read_*: the scratchpad's read; it is done in a cycle in which ``grant`` is high
    read_data: the scratchpad's, ``read_latency`` cycles later
    """

    def __init__(self, name: str, geometry: Geometry) -> None:
        self.geometry = geometry
        self.beat = beat_layout(geometry.lanes, geometry.width)
        members = transfer_members(geometry, "read", Out(stream.Signature(self.beat)))
        members |= {"read": Out(1), "grant": In(1), "read_data": In(geometry.word_width)}
        super().__init__(f"read_{name}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        g = self.geometry
        transfer = Transfer(m, self)
        state, command = transfer.state, transfer.command
        transfer.check(m, platform, command.rows, command.cols)
        walk = transfer.walk
        # Once the last word is asked for, it is read before anybody can overwrite it.
        m.d.comb += self.active.eq((state == State.CHECK) | (state == State.RUN))

        # As many words as the way through the scratchpad holds, and as many again, so that the stream never starves.
        depth = 1 << (g.read_latency + 2).bit_length()
        under_way = Signal(range(depth + 1))
        asked = named(m, self.read & self.grant, "asked")
        given = named(m, self.beats.valid & self.beats.ready, "given")
        m.d.comb += self.read.eq((state == State.RUN) & (under_way != depth))
        m.d.sync += under_way.eq(under_way + asked - given)
        moves = {
            State.RUN: [Move(asked & walk.final, State.FLUSH)],
            State.FLUSH: [Move(under_way == 0, State.ANSWER)],
        }
        transfer.run(m, asked, State.ANSWER, moves)

        m.d.comb += self.read_address.eq(walk.panel + walk.row)
        if g.banked and g.lane_bits:
            m.d.comb += self.read_rotate.eq(walk.row)
        self._collect(m, platform, depth, asked, walk.final, self._keep(m, transfer, asked))
        return m

    def _keep(self, m: Module, transfer: Transfer, asked: Value) -> Value:
        """Which elements of the word asked for exist."""
        lanes, columns = self.geometry.lanes, transfer.command.cols
        columns_left = Signal(16)
        with m.If(asked):
            m.d.sync += columns_left.eq(Mux(transfer.walk.end_of_row, columns, columns_left - lanes))
        with m.Elif(transfer.state == State.CHECK):
            m.d.sync += columns_left.eq(columns)
        short = named(m, capped(m, columns_left, lanes, "columns"), "columns_capped")
        return Cat(short > lane for lane in range(lanes))

    def _collect(self, m: Module, platform: Any, depth: int, asked: Value, last: Value, keep: Value) -> None:
        """Puts words that were asked for into a queue of ``depth`` beats when they come from the scratchpad."""
        g = self.geometry
        queue = Queue(f"read_{g.word_width}", self.beat, depth)
        side = Delay(g.lanes + 2, g.read_latency, reset=True)
        m.submodules.queue = place(platform, queue)
        m.submodules.side = place(platform, side)
        m.d.comb += [
            side.d.eq(Cat(asked, last, keep)),
            queue.i.valid.eq(side.q[0]),
            queue.i.payload.last.eq(side.q[1]),
            queue.i.payload.keep.eq(side.q[2:]),
            queue.i.payload.data.eq(masked(self.read_data, side.q[2:], g.width)),
            self.beats.valid.eq(queue.o.valid),
            self.beats.payload.eq(queue.o.payload),
            queue.o.ready.eq(self.beats.ready),
        ]
