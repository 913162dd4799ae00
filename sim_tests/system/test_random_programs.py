"""Random programs on the cores of the gate, bit for bit against the interpreter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tilewright.generators.reference.core import ReferenceCore
from tilewright.generators.reference.records import Status
from tilewright.sim_tests.drivers.core_beats import matrix_beats
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.system.campaign import perform, run_programs
from tilewright.sim_tests.system.designs import gate_designs
from tilewright.sim_tests.system.judge import Judge
from tilewright.sim_tests.system.program import Author, Step

PROGRAMS = 8
COMMANDS = 20


@pytest.mark.parametrize("name", gate_designs())
def test_core_does_what_the_interpreter_does(name: str) -> None:
    design = gate_designs()[name]
    tally = run_programs(design, seeds=range(1, PROGRAMS + 1), commands=COMMANDS)
    assert tally.commands == PROGRAMS * COMMANDS
    if design.config.in_flight == 1:
        assert not tally.refused[Status.IN_USE]
    else:
        assert tally.refused[Status.IN_USE] > PROGRAMS  # a command in flight was dared, and was still there
    assert tally.sums > 1000


@pytest.fixture(scope="module")
def small() -> tuple[list[Step], CoreSession, Judge]:
    """A program whose operands are loaded whole, and its run."""
    design = gate_designs()["ws_3x5"]
    author = Author(design.config, np.random.default_rng(3))
    author.fill()
    for _ in range(6):
        author.gemm()
    author.look_at_everything()
    session = CoreSession(design.parameters)
    perform(session, author.steps)
    return author.steps, session, Judge(design.config, session.run(design.build()))


def judge_again(small: tuple[list[Step], CoreSession, Judge], steps: list[Step]) -> None:
    _, session, judge = small
    Judge(judge.core.config, judge.result).follow(steps, session.operations)


def test_judge_agrees_with_a_right_run(small: tuple[list[Step], CoreSession, Judge]) -> None:
    judge_again(small, small[0])


@pytest.mark.parametrize("place", [0, 1, 2, 3], ids=["a", "b", "c 0", "c 1"])
def test_judge_finds_one_wrong_value_in_a_memory(small: tuple[list[Step], CoreSession, Judge], place: int) -> None:
    steps, _, judge = small
    matrix = steps[place].matrix
    assert matrix is not None
    right = read_values(judge, steps)
    rows = range(0, len(matrix), 5)
    seen = [row for row in rows if read_values(judge, with_wrong_value(steps, place, row)) != right]
    assert seen
    for row in seen:
        with pytest.raises(SimulationFailed, match=r"expected -?[0-9]+, got -?[0-9]+"):
            judge_again(small, with_wrong_value(steps, place, row))


def read_values(judge: Judge, steps: list[Step]) -> list[list[list[int]]]:
    """What the interpreter reads out in a program without refusals."""
    core = ReferenceCore(judge.core.config)
    values = []
    for step in steps:
        if step.command is not None:
            core.command(step.command)
        elif step.transfer is not None and step.matrix is not None:
            beats = matrix_beats(step.matrix, core.beat_values(step.side))
            core.load(step.side, step.transfer, beats.values)
        elif step.transfer is not None:
            readout = core.read(step.transfer)[1]
            values.append(np.where(readout.origin > 0, readout.values, 0).tolist())
        core.in_flight.clear()
    return values


def with_wrong_value(steps: list[Step], place: int, row: int) -> list[Step]:
    """``steps`` with one bit of one value of a load turned over."""
    matrix = steps[place].matrix
    assert matrix is not None
    wrong = matrix.copy()
    wrong[row, 0] ^= 1
    return [*steps[:place], replace(steps[place], matrix=wrong), *steps[place + 1 :]]


def test_judge_finds_wrong_statuses(small: tuple[list[Step], CoreSession, Judge]) -> None:
    place = next(i for i, step in enumerate(small[0]) if step.command is not None)
    command = small[0][place].command
    assert command is not None
    steps = list(small[0])
    steps[place] = replace(steps[place], command=replace(command, start=3))
    with pytest.raises(SimulationFailed, match=f"step {place}, .* expected status BAD_START, got 0"):
        judge_again(small, steps)


def test_judge_finds_wrong_tags(small: tuple[list[Step], CoreSession, Judge]) -> None:
    steps, session, judge = small
    operations = [replace(session.operations[0], tag=200), *session.operations[1:]]
    with pytest.raises(SimulationFailed, match="expected tag 200, got 1"):
        Judge(judge.core.config, judge.result).follow(steps, operations)
