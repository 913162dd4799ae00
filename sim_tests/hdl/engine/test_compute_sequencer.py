"""Commands: given to the core in order, tokens given when they end, refusals told."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.hdl.engine.answers import UNDER_WAY, Cause
from tilewright.hdl.engine.compute_sequencer import ComputeSequencer
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.hdl.engine.grants import Fault, grant
from tilewright.sim_tests.hdl.engine.instructions import instruction
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

INT8 = IntFormat(8)
CORE = CoreParameters(2, 2, "ws", INT8, INT8, IntFormat(32), "wrap", 1, 1, 16, 16, 16)


def _program(count: int) -> tuple[list[int], list[dict[str, int]]]:
    rng = np.random.default_rng(count)
    fields = [{"m": int(rng.integers(1 << 16)), "c_base": int(rng.integers(1 << 16)), "start": 2} for _ in range(count)]
    words = [instruction(Opcode.GEMM, tag=i, waits=i + 1, gives=256 + i, command=f) for i, f in enumerate(fields)]
    return words, fields


def test_commands_tokens_and_refusals() -> None:
    sequencer = ComputeSequencer(CORE)
    words, fields = _program(40)
    commands: list[Any] = []
    log: list[tuple[str, int]] = []
    faults: list[Fault] = []
    statuses = [Status.C_OUT_OF_RANGE if i == 17 else Status.EMPTY if i == 5 else Status.OK for i in range(40)]
    processes = [
        send(sequencer.instruction, words, idle=0.2, seed=1),
        take(sequencer.command, commands, stall=0.3, seed=2),
        send(sequencer.completion, [{"status": s, "tag": 0} for s in statuses], idle=0.6, seed=3),
        grant(sequencer, log, faults),
    ]
    simulate(sequencer, processes, lambda: sum(kind == "gives" for kind, _ in log) == 40, limit=2000)
    assert [(p.m, p.c_base, p.start) for _, p in commands] == [(f["m"], f["c_base"], f["start"]) for f in fields]
    assert [value for kind, value in log if kind == "takes"] == list(range(1, 41))
    assert [value for kind, value in log if kind == "gives"] == list(range(256, 296))
    assert faults == [(Cause.GEMM_REFUSED, Status.C_OUT_OF_RANGE, 17)]


def test_no_more_than_fit_are_under_way() -> None:
    sequencer = ComputeSequencer(CORE)
    commands: list[Any] = []
    log: list[tuple[str, int]] = []
    cycles: list[int] = []

    async def clock(ctx: Any) -> None:
        for cycle in range(60):
            await ctx.tick()
            cycles.append(cycle)

    processes = [send(sequencer.instruction, _program(20)[0]), take(sequencer.command, commands), clock]
    simulate(sequencer, [*processes, grant(sequencer, log, [])], lambda: len(cycles) == 60, limit=100)
    assert len(commands) == UNDER_WAY


def test_nothing_starts_after_stop() -> None:
    sequencer = ComputeSequencer(CORE)
    log: list[tuple[str, int]] = []
    cycles: list[int] = []

    async def stop(ctx: Any) -> None:
        ctx.set(sequencer.stop, 1)
        for cycle in range(30):
            await ctx.tick()
            cycles.append(cycle)

    processes = [stop, send(sequencer.instruction, _program(4)[0]), grant(sequencer, log, [])]
    simulate(sequencer, processes, lambda: len(cycles) == 30, limit=60)
    assert not log
