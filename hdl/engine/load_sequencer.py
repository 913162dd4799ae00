"""The sequencer of loads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.engine.answers import PENDING, UNDER_WAY, Cause
from tilewright.hdl.engine.making_orders import make_order
from tilewright.hdl.engine.order import order_layout
from tilewright.hdl.engine.records import BOX, HEAD, SUM_ORDER, TENSOR, TURN_ORDER, Opcode, Target
from tilewright.hdl.engine.sequencer import sequencer_members
from tilewright.hdl.engine.tensor_slots import TensorSlots
from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.structure import Block, data_register, named, place
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, Status

TARGETS = {
    "a": Target.A,
    "b": Target.B,
    "c": Target.C,
    "channels": Target.CHANNELS,
    "residual": Target.RESIDUAL,
    "table": Target.TABLE,
}
_ANNOUNCED = 4
"""Transfers that wait for a port of the core, at most."""


class LoadSequencer(Block):
    """Carries out LOAD_TENSOR and LOAD: tells the mover what to read, and the core's load ports what comes.

    An instruction starts every 3 cycles at best, whether or not those before have ended; loads of one target end in
    their order. One of no rows or columns ends at once. ``elements`` are the log2 of the bytes that a value of each
    target takes in memory.

    Members: `sequencer_members`; order: to the mover; load_t_command, load_t_answer for each target t: its port's;
    sum_order: to `RowSums`, with ``sums`` only; turn_t_order: to the `Transposer` of each target of ``turns``, which
    tells the values of its beats; ``most``: columns of the largest matrix that is turned
    """

    def __init__(
        self,
        address_bits: int,
        elements: Mapping[str, int],
        *,
        sums: bool = False,
        turns: Mapping[str, int] | None = None,
        most: int = 0,
    ) -> None:
        self.elements, self.sums, self.turns, self.most = dict(elements), sums, dict(turns or {}), most
        members: dict[str, Any] = sequencer_members() | {"order": Out(stream.Signature(order_layout(address_bits)))}
        for target in self.elements:
            members |= {
                f"load_{target}_command": Out(stream.Signature(TRANSFER)),
                f"load_{target}_answer": In(stream.Signature(ANSWER)),
            }
        if sums:
            members["sum_order"] = Out(stream.Signature(SUM_ORDER))
        members |= {f"turn_{target}_order": Out(stream.Signature(TURN_ORDER)) for target in self.turns}
        super().__init__("load_sequencer", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.slots = place(platform, slots := TensorSlots())
        word = self.instruction.payload
        head, tensor, box = (data.View(layout, word[: layout.size]) for layout in (HEAD, TENSOR, BOX))
        describes = named(m, head.opcode == Opcode.LOAD_TENSOR, "describes")
        empty = named(m, ~describes & ((box.rows == 0) | (box.cols == 0)), "empty")

        # The order, the transfer, what is to be done at the end, where its rows are summed, whether it is turned.
        offering = Signal(5 if self.turns else 4)
        busy = named(m, offering.any(), "busy")
        starts = named(m, self.go & ~busy & ~self.stop, "starts")
        m.d.comb += [
            self.wants.eq(self.instruction.valid & ~busy & ~self.stop),
            self.waits.eq(head.waits),
            self.takes.eq(starts),
            self.instruction.ready.eq(starts),
            slots.write.eq(starts & describes),
            slots.write_slot.eq(tensor.slot),
            slots.write_tensor.eq(word[HEAD.size : TENSOR.size]),
            slots.slot.eq(box.slot),
        ]
        known = named(m, self._known(box), "known_target")
        loads = named(m, starts & ~describes & ~empty & known, "loads")
        with m.If(starts & ~describes & ~known):
            m.d.comb += [
                self.fault_valid.eq(1),
                self.fault.cause.eq(Cause.ILLEGAL_INSTRUCTION),
                self.fault.tag.eq(head.tag),
            ]
        current = data.View(BOX, data_register(m, word[: BOX.size], "current", enable=loads))
        shape = data_register(m, slots.tensor, "shape", enable=loads)
        done = Signal(len(offering))
        turns = [box.target == TARGETS[target] for target in self.turns]
        with m.If(loads):
            m.d.sync += offering.eq(Cat(Const(0b111, 3), (box.target == Target.A) & self.sums, Cat(*turns).any()))
        with m.Else():
            m.d.sync += offering.eq(offering & ~done)

        make_order(m, self.order.payload, current, shape, {TARGETS[t]: size for t, size in self.elements.items()})
        m.d.comb += [self.order.valid.eq(offering[0]), done[0].eq(self.order.ready)]
        if self.sums:
            self._sum(m, platform, current, offering[3], done[3])
        if self.turns:
            self._turn(m, platform, current, offering[4], done[4])
        at_once = named(m, starts & ~loads, "ends_at_once")
        ends = self._targets(m, platform, current, offering, done, at_once)
        m.d.comb += self.gives.eq(Mux(at_once, head.gives, ends))
        return m

    def _known(self, box: Any) -> Value:
        """Whether the engine has the target of ``box``, and can turn it where it is turned."""
        found: list[Value] = []
        for target in self.elements:
            here = box.target == TARGETS[target]
            if target in self.turns:
                here &= ~box.turned[0] | ((box.rows <= self.turns[target]) & (box.cols <= self.most))
            elif self.turns:
                here &= ~box.turned[0]
            found.append(here)
        return Cat(*found).any()

    def _size(self, current: Any) -> tuple[Value, Value]:
        """(rows, columns) of the matrix as the core takes it."""
        if not self.turns:
            return current.rows, current.cols
        turned = current.turned[0]
        return Mux(turned, current.cols, current.rows), Mux(turned, current.rows, current.cols)

    def _turn(self, m: Module, platform: Any, current: Any, offered: Value, done: Value) -> None:
        """Tells whether a matrix of A or B is turned."""
        taken = []
        for target in self.turns:
            queue = Queue("turn_order", TURN_ORDER, _ANNOUNCED)
            m.submodules[f"turn_orders_{target}"] = place(platform, queue)
            here = named(m, offered & (current.target == TARGETS[target]), f"turns_{target}")
            m.d.comb += [
                queue.i.valid.eq(here),
                queue.i.payload.rows.eq(current.rows),
                queue.i.payload.cols.eq(current.cols),
                queue.i.payload.turns.eq(current.turned[0]),
            ]
            taken.append(here & queue.i.ready)
            connect(m, queue.o, flipped(getattr(self, f"turn_{target}_order")))
        m.d.comb += done.eq(Cat(*taken).any())

    def _sum(self, m: Module, platform: Any, current: Any, offered: Value, done: Value) -> None:
        """Tells where the rows of a matrix of A are summed."""
        m.submodules.sum_orders = place(platform, queue := Queue("sum_order", SUM_ORDER, _ANNOUNCED))
        m.d.comb += [
            queue.i.valid.eq(offered),
            queue.i.payload.base.eq(current.sum_base),
            queue.i.payload.cols.eq(self._size(current)[1]),
            queue.i.payload.add.eq(current.sum_add[0]),
            done.eq(queue.i.ready),
        ]
        connect(m, queue.o, flipped(self.sum_order))

    def _targets(self, m: Module, platform: Any, current: Any, offering: Signal, done: Signal, blocked: Value) -> Value:
        """Announces the load to its port, and deals with the answers, one a cycle; the tokens that one gives.

        None is dealt with in a cycle that is ``blocked``, or while a target before it has one.
        """
        announced, noted = [], []
        rows, cols = self._size(current)
        tokens: Value = Signal(0)
        nothing_pending = []
        for target in self.elements:
            number = TARGETS[target]
            queue = Queue("transfer", TRANSFER, _ANNOUNCED)
            pending = Queue("pending", PENDING, UNDER_WAY)
            m.submodules[f"transfers_{target}"] = place(platform, queue)
            m.submodules[f"pending_{target}"] = place(platform, pending)
            command, answer = getattr(self, f"load_{target}_command"), getattr(self, f"load_{target}_answer")
            here = named(m, current.target == number, f"for_{target}")
            m.d.comb += [
                queue.i.valid.eq(offering[1] & here),
                queue.i.payload.base.eq(current.base),
                queue.i.payload.rows.eq(rows),
                queue.i.payload.cols.eq(cols),
                queue.i.payload.region.eq(current.region),
                queue.i.payload.tag.eq(current.head.tag),
                command.valid.eq(queue.o.valid),
                command.payload.eq(queue.o.payload),
                queue.o.ready.eq(command.ready),
                pending.i.valid.eq(offering[2] & here),
                pending.i.payload.gives.eq(current.head.gives),
                pending.i.payload.tag.eq(current.head.tag),
            ]
            announced.append(here & queue.i.ready)
            noted.append(here & pending.i.ready)
            ends = named(m, answer.valid & pending.o.valid & ~blocked, f"{target}_ends")
            m.d.comb += [answer.ready.eq(pending.o.valid & ~blocked), pending.o.ready.eq(ends)]
            blocked = named(m, blocked | answer.valid, f"blocked_by_{target}")
            tokens = tokens | Mux(ends, pending.o.payload.gives, 0)
            bad = named(m, ends & (answer.payload.status > Status.EMPTY), f"{target}_refused")
            with m.If(bad):
                m.d.comb += [
                    self.fault_valid.eq(1),
                    self.fault.cause.eq(Cause.LOAD_REFUSED),
                    self.fault.detail.eq(answer.payload.status),
                    self.fault.tag.eq(answer.payload.tag),
                ]
            nothing_pending.append(~pending.o.valid)
        m.d.comb += [
            done[1].eq(Cat(announced).any()),
            done[2].eq(Cat(noted).any()),
            self.idle.eq(Cat(nothing_pending).all() & ~offering.any()),
        ]
        return tokens
