"""The sequencer of the core's commands."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.engine.answers import PENDING, UNDER_WAY, Cause
from tilewright.hdl.engine.records import GEMM
from tilewright.hdl.engine.sequencer import sequencer_members
from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.structure import Block, named, place
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.records import Status, command_layout, completion_layout


class ComputeSequencer(Block):
    """Gives GEMM instructions to the core as soon as their tokens are there, one a cycle at best.

    The core runs up to four at once and answers in their order. Members: `sequencer_members`; ``command`` and
    ``completion`` are the core's.
    """

    def __init__(self, parameters: CoreParameters) -> None:
        self.command_layout = command_layout(parameters)
        members: dict[str, Any] = sequencer_members() | {
            "command": Out(stream.Signature(self.command_layout)),
            "completion": In(stream.Signature(completion_layout(parameters))),
        }
        super().__init__("compute_sequencer", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.pending = place(platform, pending := Queue("pending", PENDING, UNDER_WAY))
        gemm = data.View(GEMM, self.instruction.payload[: GEMM.size])
        free = named(m, pending.i.ready & self.command.ready, "free")
        given = named(m, self.go & free & ~self.stop, "given")
        m.d.comb += [
            self.wants.eq(self.instruction.valid & ~self.stop),
            self.waits.eq(gemm.head.waits),
            self.takes.eq(given),
            self.instruction.ready.eq(given),
            self.command.valid.eq(given),
            Value.cast(self.command.payload).eq(Value.cast(gemm.command)[: self.command_layout.size]),
            pending.i.valid.eq(given),
            pending.i.payload.gives.eq(gemm.head.gives),
            pending.i.payload.tag.eq(gemm.head.tag),
            self.idle.eq(~pending.o.valid),
        ]
        ends = named(m, self.completion.valid & pending.o.valid, "ends")
        status = self.completion.payload.status
        m.d.comb += [
            self.completion.ready.eq(pending.o.valid),
            pending.o.ready.eq(ends),
            self.gives.eq(Mux(ends, pending.o.payload.gives, 0)),
            self.fault_valid.eq(ends & (status > Status.EMPTY)),
            self.fault.cause.eq(Cause.GEMM_REFUSED),
            self.fault.detail.eq(status),
            self.fault.tag.eq(pending.o.payload.tag),
        ]
        return m
