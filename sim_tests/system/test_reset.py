"""A reset in the middle of whatever the core does; then it works as from the start."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.reference.records import Command, Start, Transfer
from tilewright.sim_tests.drivers.core_result import CoreResult, Operation
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.system.campaign import perform
from tilewright.sim_tests.system.designs import Design, gate_designs
from tilewright.sim_tests.system.judge import Judge
from tilewright.sim_tests.system.program import Author, Step

CORES = ("any_4x4", "ws_3x5", "os_8x3", "is_12x5", "is_4x6_saturate")
PARTS = 12  # moments of the victims' time in which a reset falls


def filled(design: Design, rng: np.random.Generator) -> list[Step]:
    author = Author(design.config, rng)
    author.fill()
    return author.steps


def victims(design: Design) -> list[Step]:
    """Commands of several folds, one after the other in region 0, and a read-out of region 1 beside them."""
    config = design.config
    m, n, k = 2 * config.rows + 1, 2 * config.cols - 1, 2 * config.rows * config.vector + 1
    dataflow = int(design.parameters.dataflows[-1])
    commands = [Command(m, n, k, dataflow, start) for start in (Start.ZERO, Start.ACCUMULATE)]
    pad = config.scratchpads.c
    return [
        Step(transfer=Transfer(0, pad.words, pad.lanes, 1)),
        *(Step(command=command) for command in commands),
    ]


def good(design: Design, rng: np.random.Generator) -> list[Step]:
    author = Author(design.config, rng)
    for _ in range(4):
        author.gemm()
    author.look_at_everything()
    return author.steps


def undisturbed(design: Design) -> tuple[int, int]:
    """The first and the last cycle in which all victims are at work."""
    session = CoreSession(design.parameters)
    perform(session, filled(design, np.random.default_rng(1)))
    session.not_before(2000)
    operations = perform(session, victims(design))
    result = session.run(design.build(), stall=0.3)
    return max(map(result.taken, operations)), min(map(result.offered, operations)) - 1


def disturbed(design: Design, cycle: int) -> tuple[CoreResult, list[Operation], list[Step]]:
    """A run with a reset in ``cycle``; its operations, and the steps that they are without the victims."""
    rng = np.random.default_rng(1)
    before, after = filled(design, rng), good(design, rng)
    session = CoreSession(design.parameters)
    operations = perform(session, before)
    session.not_before(2000)
    session.reset(cycle, 1 + cycle % 3, lost=perform(session, victims(design)))
    operations += perform(session, after)
    return session.run(design.build(), stall=0.3), operations, [*before, *after]


@pytest.mark.parametrize("name", CORES)
def test_core_works_again_after_a_reset_at_any_time(name: str) -> None:
    design = gate_designs()[name]
    first, last = undisturbed(design)
    assert last - first > 2 * PARTS
    cut = 0
    for cycle in np.linspace(first + 1, last, PARTS, dtype=int).tolist():
        result, operations, steps = disturbed(design, cycle)
        cut += len(result.readouts) < len(result.result["read_c_command"])
        judge = Judge(design.config, result)
        filling = 4
        judge.follow(steps[:filling], operations[:filling])
        for step in victims(design)[1:]:
            assert step.command is not None
            judge.core.command(step.command)
        judge.core.reset()
        tally = judge.follow(steps[filling:], operations[filling:])
        assert tally.commands == 4
    assert cut == PARTS
