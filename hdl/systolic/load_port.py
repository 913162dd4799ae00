"""Takes a matrix from a stream into a scratchpad."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory import Geometry
from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.structure import Block, data_register, named
from tilewright.hdl.systolic.beat_word import Along, beat_values, stored_word
from tilewright.hdl.systolic.matrix_walk import MatrixWalk
from tilewright.hdl.systolic.product import ceil_shift
from tilewright.hdl.systolic.records import Status
from tilewright.hdl.systolic.transfer import Move, State, Transfer, transfer_members


class LoadPort(Block):
    """Loads a matrix of ``command.rows`` x ``command.cols`` values, row-major, one beat a cycle.

    A beat carries ``lanes`` elements of a row (``along="row"``: their ``slots`` values lie along the row, as in A;
    ``along="column"``: one value of each element, the slot being the row number modulo ``slots``, as in B). A row
    starts on a new beat, ``last`` ends the matrix. The answer comes when the last beat is written. A refused load
    still takes its beats, up to ``last``, and drops them, unless the matrix is empty: then no beat is expected.

    Members
    -------
    command, answer, beats, span, region, active, fresh, in_use, hold: see `transfer_members`
    write, write_*: the scratchpad's write; it is done in a cycle in which ``grant`` is high
    """

    def __init__(self, name: str, geometry: Geometry, along: Along) -> None:
        self.geometry, self.along = geometry, along
        self.beat = beat_layout(beat_values(geometry, along), geometry.width)
        members = transfer_members(geometry, "write", In(stream.Signature(self.beat)))
        members |= {
            "write": Out(1),
            "grant": In(1),
            "write_slots": Out(geometry.slots),
            "write_data": Out(geometry.word_width),
        }
        super().__init__(f"load_{name}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        g = self.geometry
        transfer = Transfer(m, self)
        state, command = transfer.state, transfer.command
        if self.along == "row":
            rows, columns = command.rows, ceil_shift(m, command.cols, g.slots, "vectors")
        else:
            rows, columns = ceil_shift(m, command.rows, g.slots, "vectors"), command.cols
        transfer.check(m, platform, rows, columns)
        final, last = transfer.walk.final, self.beats.payload.last

        full = Signal()
        free = named(m, ~full | self.grant, "free")
        stored = named(m, (state == State.RUN) & self.beats.valid & free, "stored")
        with m.If(free):
            m.d.sync += full.eq(stored)
        # A refused load touches nothing; one of the wrong length holds its words until its beats have ended.
        moved = named(m, (transfer.status == Status.OK) | (transfer.status == Status.LENGTH), "moved")
        ending = (state == State.DROP) | (state == State.FLUSH)
        m.d.comb += [
            self.write.eq(full),
            self.active.eq((state == State.CHECK) | (state == State.RUN) | (ending & moved)),
            self.beats.ready.eq((state == State.DROP) | ((state == State.RUN) & free)),
        ]
        written = Signal(range(g.write_latency + 2))
        with m.If(free):
            m.d.sync += written.eq(Mux(state == State.FLUSH, written + 1, 0))
        ended = Signal(Status)
        m.d.comb += ended.eq(Mux(final & last, Status.OK.value, Status.LENGTH.value))
        tell = transfer.status.eq(ended)
        moves = {
            State.RUN: [Move(stored & last, State.FLUSH, [tell]), Move(stored & final, State.DROP, [tell])],
            State.DROP: [Move(self.beats.valid & last, State.FLUSH)],
            State.FLUSH: [Move(free & (written == g.write_latency), State.ANSWER)],
        }
        transfer.run(m, stored, State.DROP, moves)
        self._write(m, transfer.walk, stored)
        return m

    def _write(self, m: Module, walk: MatrixWalk, stored: Value) -> None:
        """The registered write request of a beat taken now."""
        g = self.geometry
        row = walk.row if self.along == "row" else walk.row[g.slots.bit_length() - 1 :]
        word, enables = stored_word(m, self.beats.payload, g, self.along, walk.row)
        address = (walk.panel + row)[: g.address_bits]
        m.d.comb += [
            self.write_address.eq(data_register(m, address, "address", enable=stored)),
            self.write_data.eq(data_register(m, word, "word", enable=stored)),
            self.write_slots.eq(data_register(m, enables, "slots", enable=stored)),
        ]
        if g.banked and g.lane_bits:
            turn = row[: g.lane_bits]
            m.d.comb += self.write_rotate.eq(data_register(m, turn, "rotate", enable=stored))
