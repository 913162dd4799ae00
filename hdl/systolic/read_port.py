"""Gives a matrix from a scratchpad as a stream."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory import Geometry, request_members
from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.structure import Block, Delay, data_register, place
from tilewright.hdl.systolic.mask import masked
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, Status
from tilewright.hdl.systolic.transfer import Check, check_members


class ReadPort(Block):
    """Reads out a matrix of ``command.rows`` x ``command.cols`` elements, row-major, up to one beat a cycle.

    A beat carries ``lanes`` elements of a row; a row starts on a new beat, elements beyond its end are zero and not
    in ``keep``; ``last`` ends the matrix. The answer follows the last beat; a refused read-out gives no beat.

    Members
    -------
    command, answer, beats: streams of TRANSFER, ANSWER and `beat_layout`
    span, region, active, fresh, in_use, hold: see `check_members`
    read, read_*: the scratchpad's read; it is done in a cycle in which ``grant`` is high
    read_data: the scratchpad's, ``read_latency`` cycles later
    """

    def __init__(self, name: str, geometry: Geometry) -> None:
        self.geometry = geometry
        self.beat = beat_layout(geometry.lanes, geometry.width)
        members: dict[str, Any] = {
            "command": In(stream.Signature(TRANSFER)),
            "beats": Out(stream.Signature(self.beat)),
            "answer": Out(stream.Signature(ANSWER)),
            "read": Out(1),
            "grant": In(1),
            "read_data": In(geometry.word_width),
        }
        members |= check_members()
        members |= {f"read_{port}": Out(member.shape) for port, member in request_members(geometry).items()}
        super().__init__(f"read_{name}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        g = self.geometry
        command = Signal(TRANSFER, reset_less=True)
        begin = Signal()
        check = Check(m, platform, self, g, command, command.rows, command.cols, data_register(m, begin, "begun"))
        status = Signal(8)
        row = Signal(16)
        rows_left = Signal(16)
        panels_left = Signal(17)
        panel = Signal(g.address_bits)
        columns_left = Signal(16)

        # As many words as the way through the scratchpad holds, and as many again, so that the stream never starves.
        depth = 1 << (g.read_latency + 2).bit_length()
        queue = Queue(f"read_{g.word_width}", self.beat, depth)
        m.submodules.queue = place(platform, queue)
        under_way = Signal(range(depth + 1))
        asked = Signal()
        arrived = Signal()
        m.d.sync += under_way.eq(under_way + asked - (queue.o.valid & queue.o.ready))
        running = Signal()
        m.d.comb += [self.read.eq(running & (under_way != depth)), asked.eq(self.read & self.grant)]

        end_of_row = panels_left <= 1
        final = end_of_row & (rows_left == 1)
        keep = Cat(columns_left > lane for lane in range(g.lanes))
        side = Delay(g.lanes + 2, g.read_latency, reset=True)
        m.submodules.side = place(platform, side)
        m.d.comb += [
            side.d.eq(Cat(asked, final, keep)),
            arrived.eq(side.q[0]),
            queue.i.valid.eq(arrived),
            queue.i.payload.last.eq(side.q[1]),
            queue.i.payload.keep.eq(side.q[2:]),
            queue.i.payload.data.eq(masked(self.read_data, side.q[2:], g.width)),
            self.beats.valid.eq(queue.o.valid),
            self.beats.payload.eq(queue.o.payload),
            queue.o.ready.eq(self.beats.ready),
        ]
        self._request(m, row, panel)
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += [self.command.ready.eq(1), begin.eq(self.command.valid)]
                with m.If(self.command.valid):
                    m.d.sync += command.eq(self.command.payload)
                    m.next = "CHECK"
            with m.State("CHECK"):
                m.d.comb += self.active.eq(1)
                m.d.sync += [row.eq(0), rows_left.eq(command.rows), panels_left.eq(check.panels)]
                m.d.sync += [panel.eq(command.base), columns_left.eq(command.cols)]
                with m.If(check.ready):
                    m.d.sync += status.eq(check.status)
                    m.next = "ANSWER"
                    with m.If(check.status == Status.OK.value):
                        m.next = "RUN"
            with m.State("RUN"):
                # Once the last word is asked for, it is read before anybody can overwrite it.
                m.d.comb += [self.active.eq(1), running.eq(1)]
                with m.If(asked):
                    with m.If(end_of_row):
                        m.d.sync += [row.eq(row + 1), rows_left.eq(rows_left - 1), panels_left.eq(check.panels)]
                        m.d.sync += [panel.eq(command.base), columns_left.eq(command.cols)]
                    with m.Else():
                        m.d.sync += [panels_left.eq(panels_left - 1), panel.eq(panel + command.rows)]
                        m.d.sync += columns_left.eq(columns_left - g.lanes)
                    with m.If(final):
                        m.next = "FLUSH"
            with m.State("FLUSH"), m.If(under_way == 0):
                m.next = "ANSWER"
            with m.State("ANSWER"):
                m.d.comb += self.answer.valid.eq(1)
                with m.If(self.answer.ready):
                    m.next = "IDLE"
        m.d.comb += [self.answer.payload.tag.eq(command.tag), self.answer.payload.status.eq(status)]
        return m

    def _request(self, m: Module, row: Signal, panel: Signal) -> None:
        g = self.geometry
        m.d.comb += self.read_address.eq(panel + row)
        if g.banked and g.lane_bits:
            m.d.comb += self.read_rotate.eq(row)
