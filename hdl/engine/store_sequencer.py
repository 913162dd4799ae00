"""The sequencer of stores."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.axi.write_answers import write_answer_layout
from tilewright.hdl.engine.answers import PENDING, UNDER_WAY, Cause
from tilewright.hdl.engine.making_orders import make_order
from tilewright.hdl.engine.order import TAG_BITS
from tilewright.hdl.engine.records import BOX, FINISH, HEAD, TENSOR, Opcode
from tilewright.hdl.engine.release import job_layout
from tilewright.hdl.engine.sequencer import sequencer_members
from tilewright.hdl.engine.tensor_slots import TensorSlots
from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.structure import Block, data_register, named, place
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, Status


class StoreSequencer(Block):
    """Carries out STORE_TENSOR, FINISH and STORE: asks the core's read port for results and tells where they go.

    An instruction starts every 3 cycles at best, whether or not those before have ended; stores end in their order,
    when all of their data are in memory. One of no rows or columns ends at once. ``elements`` are the log2 of the
    bytes that a
    value takes in memory: raw, finished.

    Members: `sequencer_members`; job: what is stored, where, and how finished; read_c_command, read_c_answer: the
    core's;
    written: stores that are in memory
    """

    def __init__(self, address_bits: int, elements: tuple[int, ...]) -> None:
        self.elements = elements
        members: dict[str, Any] = sequencer_members() | {
            "job": Out(stream.Signature(job_layout(address_bits))),
            "read_c_command": Out(stream.Signature(TRANSFER)),
            "read_c_answer": In(stream.Signature(ANSWER)),
            "written": In(stream.Signature(write_answer_layout(TAG_BITS))),
        }
        super().__init__("store_sequencer", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.slots = place(platform, slots := TensorSlots())
        m.submodules.pending = place(platform, pending := Queue("pending", PENDING, UNDER_WAY))
        word = self.instruction.payload
        head, tensor, box = (data.View(layout, word[: layout.size]) for layout in (HEAD, TENSOR, BOX))
        stores = named(m, head.opcode == Opcode.STORE, "is_store")
        empty = named(m, (box.rows == 0) | (box.cols == 0), "empty")

        offering, done = Signal(3), Signal(3)  # the job, the read-out, what is to be done at the end
        busy = named(m, offering.any(), "busy")
        starts = named(m, self.go & ~busy & ~self.stop, "starts")
        known = named(m, box.target < len(self.elements), "known_form")
        begins = named(m, starts & stores & ~empty & known, "begins")
        unknown = named(m, starts & stores & ~known, "unknown_form")
        finishes = named(m, starts & (head.opcode == Opcode.FINISH), "finishes")
        m.d.comb += [
            self.wants.eq(self.instruction.valid & ~busy & ~self.stop),
            self.waits.eq(head.waits),
            self.takes.eq(starts),
            self.instruction.ready.eq(starts),
            slots.write.eq(starts & (head.opcode == Opcode.STORE_TENSOR)),
            slots.write_slot.eq(tensor.slot),
            slots.write_tensor.eq(word[HEAD.size : TENSOR.size]),
            slots.slot.eq(box.slot),
        ]
        current = data.View(BOX, data_register(m, word[: BOX.size], "current", enable=begins))
        shape = data_register(m, slots.tensor, "shape", enable=begins)
        finish = data_register(m, word[HEAD.size : FINISH.size], "finish", enable=finishes)
        with m.If(begins):
            m.d.sync += offering.eq(0b111)
        with m.Else():
            m.d.sync += offering.eq(offering & ~done)

        order, transfer = self.job.payload.order, self.read_c_command
        make_order(m, order, current, shape, dict(enumerate(self.elements)))
        with m.If(current.stored_rows.any()):
            m.d.comb += order.box.rows.eq(current.stored_rows)
        m.d.comb += [
            self.job.valid.eq(offering[0]),
            self.job.payload.finish.eq(finish),
            transfer.valid.eq(offering[1]),
            transfer.payload.base.eq(current.base),
            transfer.payload.rows.eq(current.rows),
            transfer.payload.cols.eq(current.cols),
            transfer.payload.region.eq(current.region),
            transfer.payload.tag.eq(current.head.tag),
            pending.i.valid.eq(offering[2]),
            pending.i.payload.gives.eq(current.head.gives),
            pending.i.payload.tag.eq(current.head.tag),
            done.eq(Cat(self.job.ready, transfer.ready, pending.i.ready)),
            self.idle.eq(~busy & ~pending.o.valid),
        ]
        at_once = named(m, starts & ~begins, "ends_at_once")
        ends = named(m, self.written.valid & pending.o.valid & ~at_once, "ends")
        m.d.comb += [
            self.written.ready.eq(pending.o.valid & ~at_once),
            pending.o.ready.eq(ends),
            self.read_c_answer.ready.eq(1),
            self.gives.eq(Mux(at_once, head.gives, Mux(ends, pending.o.payload.gives, 0))),
        ]
        self._faults(m, ends, unknown, head.tag)
        return m

    def _faults(self, m: Module, ends: Value, unknown: Value, tag: Value) -> None:
        answer, written = self.read_c_answer, self.written.payload
        with m.If(unknown):
            m.d.comb += [
                self.fault_valid.eq(1),
                self.fault.cause.eq(Cause.ILLEGAL_INSTRUCTION),
                self.fault.tag.eq(tag),
            ]
        with m.If(ends & (written.resp != 0)):
            m.d.comb += [
                self.fault_valid.eq(1),
                self.fault.cause.eq(Cause.WRITE_ERROR),
                self.fault.detail.eq(written.resp),
                self.fault.tag.eq(written.tag),
            ]
        with m.If(answer.valid & (answer.payload.status > Status.EMPTY)):
            m.d.comb += [
                self.fault_valid.eq(1),
                self.fault.cause.eq(Cause.STORE_REFUSED),
                self.fault.detail.eq(answer.payload.status),
                self.fault.tag.eq(answer.payload.tag),
            ]
