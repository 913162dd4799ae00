"""Takes a matrix from a stream into a scratchpad."""

from __future__ import annotations

from typing import Any, Literal

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory import Geometry, request_members
from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.structure import Block, data_register
from tilewright.hdl.systolic.product import ceil_div
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, Status
from tilewright.hdl.systolic.transfer import Check, check_members


class LoadPort(Block):
    """Loads a matrix of ``command.rows`` x ``command.cols`` values, row-major, one beat a cycle.

    A beat carries ``lanes`` elements of a row (``along="row"``: their ``slots`` values lie along the row, as in A;
    ``along="column"``: one value of each element, the slot being the row number modulo ``slots``, as in B). A row
    starts on a new beat, ``last`` ends the matrix. The answer comes when the last beat is written. A refused load
    still takes its beats, up to ``last``, and drops them, unless the matrix is empty: then no beat is expected.

    Members
    -------
    command, answer, beats: streams of TRANSFER, ANSWER and `beat_layout`
    span, region, active, fresh, in_use, hold: see `check_members`
    write, write_*: the scratchpad's write; it is done in a cycle in which ``grant`` is high
    """

    def __init__(self, name: str, geometry: Geometry, along: Literal["row", "column"]) -> None:
        self.geometry, self.along = geometry, along
        self.values = geometry.lanes * (geometry.slots if along == "row" else 1)
        self.beat = beat_layout(self.values, geometry.width)
        members: dict[str, Any] = {
            "command": In(stream.Signature(TRANSFER)),
            "beats": In(stream.Signature(self.beat)),
            "answer": Out(stream.Signature(ANSWER)),
            "write": Out(1),
            "grant": In(1),
            "write_slots": Out(geometry.slots),
            "write_data": Out(geometry.word_width),
        }
        members |= check_members()
        members |= {f"write_{port}": Out(member.shape) for port, member in request_members(geometry).items()}
        super().__init__(f"load_{name}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        g = self.geometry
        command = Signal(TRANSFER, reset_less=True)
        begin = Signal()
        begun = data_register(m, begin, "begun")
        slots = g.slots.bit_length() - 1
        if self.along == "row":
            rows, columns = command.rows, ceil_div(command.cols, g.slots)
        else:
            rows, columns = ceil_div(command.rows, g.slots), command.cols
        check = Check(m, platform, self, g, command, rows, columns, begun)
        status = Signal(8)
        row = Signal(16)
        rows_left = Signal(16)
        panels_left = Signal(17)
        panel = Signal(g.address_bits)

        written = Signal(range(g.write_latency + 2))
        full = Signal()
        accept = Signal()
        m.d.comb += accept.eq(~full | self.grant)
        with m.If(self.grant):
            m.d.sync += full.eq(0)
        m.d.comb += self.write.eq(full)
        final = (rows_left == 1) & (panels_left <= 1)
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += [self.command.ready.eq(1), begin.eq(self.command.valid)]
                with m.If(self.command.valid):
                    m.d.sync += command.eq(self.command.payload)
                    m.next = "CHECK"
            with m.State("CHECK"):
                m.d.comb += self.active.eq(1)
                m.d.sync += [
                    row.eq(0),
                    rows_left.eq(command.rows),
                    panels_left.eq(check.panels),
                    panel.eq(command.base),
                ]
                with m.If(check.ready):
                    m.d.sync += status.eq(check.status)
                    with m.If(check.status == Status.OK.value):
                        m.next = "RUN"
                    with m.Elif(check.status == Status.EMPTY.value):
                        m.next = "ANSWER"
                    with m.Else():
                        m.next = "DROP"
            with m.State("RUN"):
                m.d.comb += [self.active.eq(1), self.beats.ready.eq(accept)]
                m.d.sync += written.eq(0)
                with m.If(self.beats.valid & accept):
                    m.d.sync += full.eq(1)
                    with m.If(panels_left <= 1):
                        m.d.sync += [row.eq(row + 1), rows_left.eq(rows_left - 1)]
                        m.d.sync += [panels_left.eq(check.panels), panel.eq(command.base)]
                    with m.Else():
                        m.d.sync += [panels_left.eq(panels_left - 1), panel.eq(panel + rows)]
                    with m.If(final | self.beats.payload.last):
                        m.d.sync += status.eq(
                            Mux(final & self.beats.payload.last, Status.OK.value, Status.LENGTH.value)
                        )
                        m.next = "DROP"
                        with m.If(self.beats.payload.last):
                            m.next = "WRITTEN"
            with m.State("DROP"):
                m.d.comb += self.beats.ready.eq(1)
                with m.If(self.beats.valid & self.beats.payload.last):
                    m.next = "WRITTEN"
            with m.State("WRITTEN"):
                # The last word is still on its way through the scratchpad's write pipeline.
                m.d.comb += self.active.eq(1)
                with m.If(accept):
                    m.d.sync += written.eq(written + 1)
                    with m.If(written == g.write_latency):
                        m.next = "ANSWER"
            with m.State("ANSWER"):
                m.d.comb += self.answer.valid.eq(1)
                with m.If(self.answer.ready):
                    m.next = "IDLE"
        m.d.comb += [self.answer.payload.tag.eq(command.tag), self.answer.payload.status.eq(status)]
        self._write(m, row, panel, slots, taken=self.beats.valid & self.beats.ready & accept)
        return m

    def _write(self, m: Module, row: Signal, panel: Signal, slots: int, *, taken: Any) -> None:
        """The registered write request of a beat taken now."""
        g = self.geometry
        w = g.width
        beat = self.beats.payload
        kept = [beat.data[v * w : (v + 1) * w] & beat.keep[v].replicate(w) for v in range(self.values)]
        stored_row = row if self.along == "row" else row[slots:]
        if self.along == "row":
            word, enables = Cat(kept), (1 << g.slots) - 1
        else:
            word = Cat(value.replicate(g.slots) for value in kept)
            enables = 1 << row[:slots] if g.slots > 1 else 1
        address = (panel + stored_row)[: g.address_bits]
        m.d.comb += [
            self.write_address.eq(data_register(m, address, "address", enable=taken)),
            self.write_data.eq(data_register(m, word, "word", enable=taken)),
            self.write_slots.eq(data_register(m, enables, "slots", enable=taken)),
        ]
        if g.banked and g.lane_bits:
            turn = stored_row[: g.lane_bits]
            m.d.comb += self.write_rotate.eq(data_register(m, turn, "rotate", enable=taken))
