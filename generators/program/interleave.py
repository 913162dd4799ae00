"""The instructions of several cores in one list."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import merge

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.joined import Part, joined
from tilewright.generators.program.plan import LATENCY, entries
from tilewright.generators.reference.engine_cycles import EngineCycles
from tilewright.hdl.engine.records import Opcode

Section = Sequence[Sequence[Part]]
"""For each core what it does, one after the other."""


def many_program(sections: Sequence[Section], config: EngineConfig) -> list[Instruction]:
    """One program for all cores, the ``sections`` one after the other; ``END`` is the last.

    A section begins when all cores have ended the one before: it finds in memory what that has stored.
    """
    found: list[Instruction] = []
    for section in sections:
        if found:
            found.append(Instruction(Opcode.BARRIER, {}))
        programs = [joined(parts)[:-1] if parts else [] for parts in section]
        found += interleaved(programs, config)
    return [*found, Instruction(Opcode.END, {})]


def interleaved(programs: Sequence[Sequence[Instruction]], config: EngineConfig) -> list[Instruction]:
    """The instructions of ``programs``, each for the core of its number, in an order in which no core has to wait.

    The list is dealt in its order, and a queue that is full holds up all behind it. So an instruction stands where
    those of other cores stand that begin at the same time, by the model of events: what is before it in the list has
    begun, or is about to, so that no queue is full of what comes later.
    """
    known: dict[tuple[tuple[int, int, int], ...], list[int]] = {}
    streams = []
    for core, program in enumerate(programs):
        kind = tuple((i.opcode, i.waits, i.gives) for i in program)
        if kind not in known:
            known[kind] = _begins(program, config)
        streams.append([(at, core, i._replace(core=core)) for at, i in zip(known[kind], program, strict=True)])
    return [instruction for _, _, instruction in merge(*streams, key=lambda item: item[:2])]


def _begins(program: Sequence[Instruction], config: EngineConfig) -> list[int]:
    """When each instruction begins that no other core holds up; none before the one that it follows in the list."""
    found, latest = [], 0
    for moment in EngineCycles(config, LATENCY).run(entries(list(program))):
        latest = max(latest, moment.begins)
        found.append(latest)
    return found
