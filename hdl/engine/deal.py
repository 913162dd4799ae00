"""Deals instructions out to the cores."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from tilewright.hdl.engine.records import CORES, HEAD, INSTRUCTION_BITS, Opcode
from tilewright.hdl.structure import Block, named

CALM = 4
"""Cycles in which nothing is under way before a BARRIER lets the program go on."""


class Deal(Block):
    """Takes instructions in the order of the program and gives each to its core, one a cycle.

    A core that takes none holds up all that follow. BARRIER is taken when all have been ``quiet`` for some cycles. END
    is taken and told by ``program_end``; an instruction for a core that does not exist is dropped and told by
    ``illegal``. Combinational.

    Members
    -------
    i: stream of instructions; o_n: those of core n
    quiet: no core has anything to do; program_end, illegal: see above; tag: that of ``i``
    """

    def __init__(self, cores: int) -> None:
        if not 2 <= cores <= CORES:
            raise ValueError(f"cores must be 2..{CORES}, got {cores}")
        self.cores = cores
        words = stream.Signature(INSTRUCTION_BITS)
        members: dict[str, Any] = {"i": In(words)} | {f"o_{core}": Out(words) for core in range(cores)}
        members |= {"quiet": In(1), "program_end": Out(1), "illegal": Out(1), "tag": Out(8)}
        super().__init__(f"deal_{cores}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        head = data.View(HEAD, self.i.payload[: HEAD.size])
        ends = named(m, head.opcode == Opcode.END, "ends")
        barrier = named(m, head.opcode == Opcode.BARRIER, "barrier")
        calm = Signal(range(CALM + 1))
        m.d.sync += calm.eq(Mux(self.quiet & self.i.valid & barrier, Mux(calm == CALM, CALM, calm + 1), 0))
        held: list[Value] = [barrier & (calm != CALM)]
        known = ends | barrier
        for core in range(self.cores):
            output = getattr(self, f"o_{core}")
            wanted = named(m, (head.core == core) & ~ends & ~barrier, f"for_{core}")
            m.d.comb += [output.valid.eq(self.i.valid & wanted), output.payload.eq(self.i.payload)]
            held.append(wanted & ~output.ready)
            known |= wanted
        m.d.comb += [
            self.i.ready.eq(~Cat(held).any()),
            self.program_end.eq(self.i.valid & ends),
            self.illegal.eq(self.i.valid & ~known),
            self.tag.eq(head.tag),
        ]
        return m
