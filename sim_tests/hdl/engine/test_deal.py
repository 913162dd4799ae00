"""Instructions go to their cores in order; one that takes none holds up all; barriers wait for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.hdl.engine.deal import CALM, Deal
from tilewright.hdl.engine.records import Opcode
from tilewright.sim_tests.hdl.engine.instructions import instruction
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

KINDS = (Opcode.LOAD, Opcode.GEMM, Opcode.STORE)


async def cycles(ctx: Any, count: int) -> None:
    """Lets so many pass."""
    for _ in range(count):
        await ctx.tick()


@pytest.mark.parametrize("stall", [0.0, 0.5])
@pytest.mark.parametrize("cores", [2, 3, 16])
def test_each_instruction_goes_to_its_core_and_no_other(cores: int, stall: float) -> None:
    rng = np.random.default_rng(cores)
    deal = Deal(cores)
    owners = [int(core) for core in rng.integers(0, cores, 200)]
    program = [instruction(KINDS[i % 3], tag=i, core=core) for i, core in enumerate(owners)]
    found: list[list[Any]] = [[] for _ in range(cores)]
    processes = [take(getattr(deal, f"o_{core}"), found[core], stall=stall, seed=core) for core in range(cores)]
    processes.append(send(deal.i, program, idle=stall / 2, seed=99))
    simulate(deal, processes, lambda: sum(map(len, found)) == len(program), limit=3000)
    for core in range(cores):
        assert [word for _, word in found[core]] == [
            w for w, owner in zip(program, owners, strict=True) if owner == core
        ]


def test_a_core_that_takes_nothing_holds_up_all() -> None:
    deal = Deal(2)
    program = [instruction(Opcode.LOAD, tag=at, core=core) for at, core in enumerate((0, 1, 0))]
    found: list[Any] = []
    moved: list[int] = []

    async def watch(ctx: Any) -> None:
        while True:
            _, _, valid, ready = await ctx.tick().sample(deal.i.valid, deal.i.ready)
            moved.extend([1] * (valid and ready))

    async def wait(ctx: Any) -> None:
        await cycles(ctx, 60)
        moved.append(-1)

    simulate(deal, [send(deal.i, program), take(deal.o_0, found), watch, wait], lambda: -1 in moved, limit=100)
    assert len(found) == 1 and moved.count(1) == 1


@pytest.mark.parametrize(("cores", "core"), [(2, 2), (3, 3), (3, 15), (15, 15)])
def test_a_core_that_does_not_exist_is_told_and_its_instruction_dropped(cores: int, core: int) -> None:
    deal = Deal(cores)
    program = [instruction(Opcode.LOAD, tag=5, core=core), instruction(Opcode.LOAD, tag=6, core=cores - 1)]
    told: list[int] = []
    found: list[Any] = []

    async def watch(ctx: Any) -> None:
        while True:
            _, _, illegal, tag = await ctx.tick().sample(deal.illegal, deal.tag)
            if illegal:
                told.append(tag)

    processes = [take(getattr(deal, f"o_{at}"), found) for at in range(cores)]
    simulate(deal, [*processes, watch, send(deal.i, program)], lambda: len(found) == 1, limit=50)
    assert told == [5] and found[0][1] == program[1]


def test_end_is_told_and_goes_to_no_core() -> None:
    deal = Deal(2)
    told: list[int] = []
    found: list[Any] = []

    async def watch(ctx: Any) -> None:
        while True:
            _, _, ends, ready = await ctx.tick().sample(deal.program_end, deal.i.ready)
            if ends and ready:
                told.append(1)

    program = [instruction(Opcode.END, core=15), instruction(Opcode.GEMM, core=1)]
    simulate(
        deal,
        [take(deal.o_0, found), take(deal.o_1, found), watch, send(deal.i, program)],
        lambda: bool(found),
        limit=50,
    )
    assert told == [1] and len(found) == 1


@pytest.mark.parametrize("blink", [0, CALM - 1])
def test_a_barrier_passes_when_all_has_been_quiet_for_some_cycles(blink: int) -> None:
    """Quiet for too short a time does not count."""
    deal = Deal(2)
    found: list[Any] = []

    async def world(ctx: Any) -> None:
        ctx.set(deal.quiet, 0)
        await cycles(ctx, 20)
        for level, count in ((1, blink), (0, 15), (1, 40)):
            ctx.set(deal.quiet, level)
            await cycles(ctx, count)

    program = [instruction(Opcode.LOAD), instruction(Opcode.BARRIER), instruction(Opcode.LOAD, tag=1)]
    simulate(deal, [world, take(deal.o_0, found), send(deal.i, program)], lambda: len(found) == 2, limit=100)
    first, second = (cycle for cycle, _ in found)
    assert first < 5
    assert 35 + blink + CALM <= second <= 35 + blink + CALM + 3


@pytest.mark.parametrize("cores", [0, 1, 17])
def test_refusals(cores: int) -> None:
    with pytest.raises(ValueError, match=rf"^cores must be 2..16, got {cores}$"):
        Deal(cores)
