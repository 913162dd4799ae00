"""A core among several, by itself: it takes instructions, tells what it lacks, fails, counts, and forgets."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Value

from tilewright.hdl.engine.answers import FAULT, Cause
from tilewright.hdl.engine.parameters import EngineParameters
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.engine.register_map import COUNTERS
from tilewright.hdl.engine.worker import Worker
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.hdl.engine.instructions import instruction
from tilewright.sim_tests.hdl.engine.streams import send, simulate

INT8 = IntFormat(8)
CORE = CoreParameters(1, 1, "ws", INT8, INT8, IntFormat(32), "wrap", 1, 1, 16, 16, 16)
SMALL = EngineParameters(CORE, 32, 32, 4, 2, INT8, cores=2)


def play(program: list[int], script: dict[int, dict[str, int]], cycles: int) -> list[dict[str, Any]]:
    """What a running worker tells in each cycle; ``script`` sets inputs from the edge at the end of a cycle on."""
    worker = Worker(SMALL)
    seen: list[dict[str, Any]] = []
    names = ("quiet", "reading", "writing", "progress", "fault_valid", "load_missing", "compute_missing", "counter")

    async def watch(ctx: Any) -> None:
        ctx.set(worker.running, 1)
        for cycle in range(cycles):
            values = await ctx.tick().sample(*(getattr(worker, name) for name in names), Value.cast(worker.fault))
            seen.append(dict(zip((*names, "fault"), values[2:], strict=True)))
            for name, value in script.get(cycle, {}).items():
                ctx.set(getattr(worker, name), value)

    simulate(worker, [send(worker.instruction, program), watch], lambda: len(seen) == cycles, limit=2 * cycles)
    return seen


def test_an_instruction_without_tokens_waits_and_is_told_until_it_is_flushed() -> None:
    program = [instruction(Opcode.LOAD, waits=0x8001), instruction(Opcode.GEMM, waits=4)]
    seen = play(program, {30: {"flush": 1}, 31: {"flush": 0}}, 50)
    assert seen[0]["quiet"] and not seen[1]["quiet"]
    for values in seen[8:30]:
        assert (values["load_missing"], values["compute_missing"], values["quiet"]) == (0x8001, 4, 0)
    for values in seen[34:]:
        assert (values["load_missing"], values["compute_missing"], values["quiet"]) == (0, 0, 1)
    assert not any(values["fault_valid"] or values["reading"] or values["writing"] for values in seen)


def test_nothing_starts_after_stop() -> None:
    seen = play([instruction(Opcode.GEMM, waits=4)], {0: {"stop": 1}}, 20)
    assert not any(values["compute_missing"] or values["progress"] for values in seen)
    assert not seen[-1]["quiet"]


def test_faults_are_told_with_their_tags() -> None:
    command = {"m": 1, "n": 1, "k": 1, "a_base": 99}
    program = [instruction(Opcode.END, tag=7) | 0x63, instruction(Opcode.GEMM, tag=9, command=command)]
    seen = play(program, {}, 60)
    faults = [FAULT.from_bits(values["fault"]) for values in seen if values["fault_valid"]]
    assert [(f.cause, f.tag) for f in faults] == [(Cause.ILLEGAL_INSTRUCTION, 7), (Cause.GEMM_REFUSED, 9)]
    assert faults[1].detail == Status.A_OUT_OF_RANGE


def test_any_word_of_its_counters_can_be_read() -> None:
    names = list(COUNTERS)
    waits = 2 * names.index("compute_wait_token")
    fetched = 2 * names.index("fetch_beats")
    script = {
        0: {"start": 1, "fetched": 1},
        1: {"start": 0},
        20: {"counter_word": waits},
        21: {"counter_word": fetched},
        22: {"counter_word": fetched + 1},
        23: {"counter_word": 0},
    }
    seen = play([instruction(Opcode.GEMM, waits=4)], script, 30)
    cycles = [values["counter"] for values in seen]
    assert cycles[4:20] == list(range(1, 17))
    assert 10 <= cycles[21] < 20 and 15 <= cycles[22] <= 20 and cycles[23] == 0 and cycles[24] > 20
