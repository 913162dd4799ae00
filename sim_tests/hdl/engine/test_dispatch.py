"""Instructions go to their sequencers in order; a full queue holds up all, an unknown kind is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.hdl.engine.dispatch import OF_SEQUENCER, Dispatch
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.engine.tokens import SEQUENCERS
from tilewright.sim_tests.hdl.engine.instructions import instruction
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take


@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_each_kind_to_its_sequencer(stall: float) -> None:
    rng = np.random.default_rng(5)
    dispatch = Dispatch(4)
    kinds = [opcode for opcodes in OF_SEQUENCER.values() for opcode in opcodes]
    program = [instruction(kinds[int(rng.integers(len(kinds)))], tag=i % 256) for i in range(200)]
    found: dict[str, list[Any]] = {name: [] for name in SEQUENCERS}
    processes = [take(getattr(dispatch, name), found[name], stall=stall, seed=i) for i, name in enumerate(SEQUENCERS)]
    processes.append(send(dispatch.i, program, idle=stall / 2, seed=9))
    simulate(dispatch, processes, lambda: sum(map(len, found.values())) == len(program), limit=3000)
    for name, opcodes in OF_SEQUENCER.items():
        assert [word for _, word in found[name]] == [word for word in program if Opcode(word & 0xFF) in opcodes]


def test_a_full_queue_holds_up_what_follows() -> None:
    dispatch = Dispatch(2)
    program = [instruction(Opcode.LOAD, tag=i) for i in range(3)] + [instruction(Opcode.GEMM, tag=3)]
    taken: list[Any] = []
    moved: list[int] = []

    async def watch(ctx: Any) -> None:
        for cycle in range(60):
            _, _, valid, ready = await ctx.tick().sample(dispatch.i.valid, dispatch.i.ready)
            if valid and ready:
                moved.append(cycle)

    simulate(
        dispatch,
        [send(dispatch.i, program), take(dispatch.compute, taken), watch],
        lambda: False or len(moved) == 2,
        limit=100,
    )
    assert not taken


@pytest.mark.parametrize("opcode", [7, 99, 255])
def test_an_unknown_kind_is_told_and_dropped(opcode: int) -> None:
    dispatch = Dispatch(2)
    told: list[tuple[int, int]] = []
    found: list[Any] = []

    async def watch(ctx: Any) -> None:
        while True:
            _, _, illegal, tag = await ctx.tick().sample(dispatch.illegal, dispatch.tag)
            if illegal:
                told.append((illegal, tag))

    program = [opcode | 0x2A00, instruction(Opcode.GEMM, tag=1)]
    simulate(dispatch, [send(dispatch.i, program), take(dispatch.compute, found), watch], lambda: bool(found), limit=50)
    assert told == [(1, 0x2A)]


def test_the_end_is_told_and_goes_nowhere() -> None:
    dispatch = Dispatch(2)
    ends: list[int] = []

    async def watch(ctx: Any) -> None:
        while True:
            _, _, end, illegal, empty = await ctx.tick().sample(dispatch.program_end, dispatch.illegal, dispatch.empty)
            assert not illegal and empty
            ends.append(end)

    simulate(dispatch, [send(dispatch.i, [instruction(Opcode.END)]), watch], lambda: sum(ends) == 1, limit=50)
    assert sum(ends) == 1
