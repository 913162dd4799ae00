"""Deals instructions out to the sequencers."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.engine.records import HEAD, INSTRUCTION_BITS, Opcode
from tilewright.hdl.engine.tokens import SEQUENCERS
from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.structure import Block, named, place

OF_SEQUENCER = {
    "load": (Opcode.LOAD_TENSOR, Opcode.LOAD),
    "compute": (Opcode.GEMM,),
    "store": (Opcode.FINISH, Opcode.STORE_TENSOR, Opcode.STORE),
}


class Dispatch(Block):
    """Takes instructions in the order of the program and puts each into the queue of its sequencer, one a cycle.

    A full queue holds up all that follow. END is taken and told by ``program_end``; an instruction of no known kind
    is dropped and told by ``illegal``. Latency 1 cycle. ``empty``: no queue holds anything.

    Members: ``i``: stream of instructions; ``load``, ``compute``, ``store``: streams of them; ``tag``: that of ``i``.
    """

    def __init__(self, depth: int) -> None:
        self.depth = depth
        words = stream.Signature(INSTRUCTION_BITS)
        members: dict[str, Any] = {"i": In(words)} | {name: Out(words) for name in SEQUENCERS}
        super().__init__(
            "dispatch", members | {"program_end": Out(1), "illegal": Out(1), "tag": Out(8), "empty": Out(1)}
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        head = data.View(HEAD, self.i.payload[: HEAD.size])
        queues = {name: Queue(f"instructions_{name}", INSTRUCTION_BITS, self.depth) for name in SEQUENCERS}
        known = head.opcode == Opcode.END
        held: list[Value] = []
        waiting: list[Value] = []
        for name, queue in queues.items():
            m.submodules[name] = place(platform, queue)
            wanted = head.opcode == OF_SEQUENCER[name][0]
            for opcode in OF_SEQUENCER[name][1:]:
                wanted |= head.opcode == opcode
            wanted = named(m, wanted, f"for_{name}")
            output = getattr(self, name)
            m.d.comb += [
                queue.i.valid.eq(self.i.valid & wanted),
                queue.i.payload.eq(self.i.payload),
                output.valid.eq(queue.o.valid),
                output.payload.eq(queue.o.payload),
                queue.o.ready.eq(output.ready),
            ]
            known |= wanted
            held.append(wanted & ~queue.i.ready)
            waiting.append(queue.o.valid)
        m.d.comb += [
            self.i.ready.eq(~Cat(held).any()),
            self.program_end.eq(self.i.valid & (head.opcode == Opcode.END)),
            self.illegal.eq(self.i.valid & ~known),
            self.tag.eq(head.tag),
            self.empty.eq(~Cat(waiting).any()),
        ]
        return m
