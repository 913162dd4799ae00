"""The sequencer that follows the words of C, once where they are read and once where they are written."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from tilewright.hdl.structure import Block, data_register, named
from tilewright.hdl.systolic.cursor import Cursor
from tilewright.hdl.systolic.decoder import DECODED
from tilewright.hdl.systolic.extents import is_dataflow
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.paths import possible, words_of_c
from tilewright.hdl.systolic.records import Start
from tilewright.hdl.systolic.walk import CommandWalk, connect_cursors, cursor_members, request_ports


class CWalker(Block):
    """One step for every word of sums that leaves the array, in the order in which they leave.

    ``step`` of one cycle gives the request of its word in the next. The command whose word comes next is taken as soon
    as the one before is done, so it must be in the table one cycle before its first ``step``.

    Members
    -------
    valid, command, take: the command table's ``read_*`` or ``write_*``
    step: the word of this cycle
    last: it is the command's last
    c_active: a word is wanted; with it, all one cycle after ``step``:
    region, c_*: where (``from_bias``: of the bias row instead of C)
    lanes: values of the word that exist
    continues: C starts from what is read there (not from zero); broadcast: all lanes start from lane 0 (IS, bias)
    complete: no further fold adds to the word (only where flags are counted: accumulators are windows)
    exists: the row exists (OS: the last tile of rows may be ragged)
    """

    def __init__(self, parameters: CoreParameters) -> None:
        p = self.parameters = parameters
        self.cursors = {"c": Cursor("c", p.c_memory, possible(p, words_of_c(p)), count_panels=True, held=p.in_turn)}
        members: dict[str, Any] = {
            "valid": In(1),
            "command": In(DECODED),
            "take": Out(1),
            "step": In(1),
            "last": Out(1),
        }
        members |= {"region": Out(1), "lanes": Out(9), "continues": Out(1), "broadcast": Out(1)}
        members |= {"exists": Out(1), "from_bias": Out(1)}
        if p.has_point:
            members["complete"] = Out(1)
        members |= cursor_members(self.cursors)
        members |= {"bias_base": Out(p.c_memory.address_bits)}
        super().__init__("c_walker", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        p = self.parameters
        commands = CommandWalk(m, platform, self, self.step, inner="words")
        nest, dataflow = commands.nest, commands.dataflow
        first_fold = Signal()
        start = Signal(Start, reset_less=True)
        region = Signal(reset_less=True)
        bias_base = Signal(p.c_memory.address_bits, reset_less=True)
        m.d.comb += self.last.eq(self.step & nest.last)
        kept = [start.eq(self.command.start), region.eq(self.command.region), bias_base.eq(self.command.bias.low)]
        if p.in_turn:  # the command stays until its last word is written
            m.d.comb += kept
        with m.If(self.take):
            m.d.sync += first_fold.eq(1)
            if not p.in_turn:
                m.d.sync += kept
        out = is_dataflow(p, dataflow, Dataflow.OS)
        with m.If(~self.take & nest.outer_step & ~out):
            m.d.sync += first_fold.eq(0)

        bias = named(m, first_fold & (start == Start.BIAS), "starts_from_bias")
        with_sums = ~first_fold | (start != Start.ZERO)
        lanes = Mux(nest.middle_left < p.cols, nest.middle_left, p.cols)
        m.d.comb += [
            self.region.eq(data_register(m, region, "request_region")),
            self.from_bias.eq(data_register(m, bias, "request_bias")),
            self.bias_base.eq(data_register(m, bias_base, "request_bias_base")),
            self.lanes.eq(data_register(m, lanes, "request_lanes")),
            self.continues.eq(data_register(m, with_sums, "request_continues")),
            self.broadcast.eq(data_register(m, bias & is_dataflow(p, dataflow, Dataflow.IS), "request_broadcast")),
            self.exists.eq(data_register(m, ~out | (nest.inner_left <= nest.outer_left), "request_exists")),
        ]
        if p.has_point:
            ends = out | (nest.outer_left <= p.rows * p.vector)
            m.d.comb += self.complete.eq(data_register(m, ends, "request_complete"))
        connect_cursors(m, platform, self, nest, self.step, dataflow)
        return m


def bias_request(m: Module, walker: CWalker) -> dict[str, Any]:
    """The request of ``walker``'s step, of the bias row where the word starts from the bias: a matrix of one row."""
    request = {port: getattr(walker, f"c_{port}") for port in request_ports(walker.cursors["c"]) if port != "panel"}
    address = (walker.bias_base + walker.c_panel)[: len(request["address"])]
    row = {
        "address": address,
        "next_panel": address + 1,
        "column": 0,
        "split": request.get("split"),
        "rotate": request.get("split"),
    }
    return {port: Mux(walker.from_bias, row[port], value) for port, value in request.items()}
