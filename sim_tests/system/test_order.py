"""Transfers and commands that share words, without the user waiting for answers: whoever was taken first has them."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.hdl.systolic.records import Start, Status
from tilewright.sim_tests.drivers.core_beats import Matrix
from tilewright.sim_tests.drivers.core_result import CoreResult
from tilewright.sim_tests.drivers.core_session import CoreSession, Event
from tilewright.sim_tests.harness import Stall
from tilewright.sim_tests.system.designs import gate_designs

# Every delay on one core, some on the others.
POINTS = [("any_4x4", delay) for delay in range(12)]
POINTS += [(name, delay) for name in ("ws_3x5", "is_12x5", "any_3x7_saturate") for delay in (1, 4, 6)]
M, N, K = 7, 6, 9
TAKEN = 400


def _operands(name: str, rng: np.random.Generator) -> tuple[Matrix, Matrix, Matrix]:
    config = gate_designs()[name].config
    a = rng.integers(max(config.a.min, -3), 4, (M, K))
    b = rng.integers(max(config.b.min, -3), 4, (K, N))
    return a, b, rng.integers(-100, 100, (M, N))


def _run(name: str, session: CoreSession, seed: int, stall: dict[str, Stall] | None = None) -> CoreResult:
    return session.run(gate_designs()[name].build(), seed=seed, stall=stall)


@pytest.mark.parametrize(("name", "delay"), POINTS)
def test_a_command_waits_for_loads_that_were_taken_before_it(name: str, delay: int) -> None:
    """Loads trickle in; the command is there at once, or a few cycles later, and does not wait for their answers."""
    design = gate_designs()[name]
    a, b, c = _operands(name, np.random.default_rng(delay))
    session = CoreSession(design.parameters)
    for port, matrix in (("load_a", a), ("load_b", b), ("load_c", c)):
        session.load(port, matrix)  # type: ignore[arg-type]
    session.not_before(delay)
    done = session.command(M, N, K, design.parameters.dataflows[0], start=Start.ACCUMULATE)
    session.read(M, N, after=(done,))
    slow = {f"load_{matrix}_beats": Stall(0.7, seed=delay) for matrix in "abc"}
    result = _run(name, session, delay + 1, slow)
    assert result.statuses("completion") == [Status.OK]
    np.testing.assert_array_equal(result.matrices[0], a @ b + c)


@pytest.mark.parametrize("name", ["any_4x4", "ws_3x5", "is_12x5"])
def test_a_command_waits_for_a_load_that_brings_more_than_it_told(name: str) -> None:
    """Its last word may be on its way to the scratchpad while its surplus beats are taken."""
    design = gate_designs()[name]
    a, b, c = _operands(name, np.random.default_rng(1))
    session = CoreSession(design.parameters)
    loads = [session.load("load_a", a), session.load("load_b", b)]
    surplus = np.vstack([c, *[c + 1] * 20])
    told = M * design.parameters.c_memory.panels(N)
    long = session.load("load_c", surplus, announced=(M, N), after=loads)
    taken = Event("load_c_beats", told + 1)
    done = session.command(M, N, K, design.parameters.dataflows[0], start=Start.ACCUMULATE, after=(taken,))
    session.read(M, N, after=(done,))
    result = _run(name, session, 1)
    assert result.statuses("load_c_answer") == [Status.LENGTH]
    assert result.answered(done) > result.answered(long) > result.taken(done)
    np.testing.assert_array_equal(result.matrices[0], a @ b + c)


@pytest.mark.parametrize(("name", "delay"), POINTS)
def test_a_read_out_taken_before_a_command_gives_what_was_there(name: str, delay: int) -> None:
    design = gate_designs()[name]
    a, b, c = _operands(name, np.random.default_rng(delay))
    session = CoreSession(design.parameters)
    loads = [session.load("load_a", a), session.load("load_b", b), session.load("load_c", c)]
    session.read(M, N, after=loads)
    read_taken = Event("read_c_command", 1)
    slow = {"read_c_beats": Stall(0.6, burst_probability=0.1, seed=delay), "command": Stall(0.3, seed=delay)}
    done = session.command(M, N, K, design.parameters.dataflows[0], after=(read_taken,))
    session.read(M, N, after=(done,))
    result = _run(name, session, delay + 1, slow)
    assert result.statuses("read_c_answer") == [Status.OK, Status.OK]
    np.testing.assert_array_equal(result.matrices[0], c)
    np.testing.assert_array_equal(result.matrices[1], a @ b)


@pytest.mark.parametrize(("name", "delay"), [(name, delay + 1) for name, delay in POINTS])
def test_a_transfer_taken_after_a_command_is_refused(name: str, delay: int) -> None:
    """However soon after it: also while the command is still being decoded."""
    design = gate_designs()[name]
    a, b, c = _operands(name, np.random.default_rng(delay))
    session = CoreSession(design.parameters)
    loads = [session.load("load_a", a), session.load("load_b", b), session.load("load_c", c)]
    session.not_before(TAKEN)  # long after the loads
    done = session.command(M, N, K, design.parameters.dataflows[0], start=Start.ACCUMULATE, after=loads)
    session.not_before(TAKEN + delay)
    for port, matrix in (("load_a", a * 0), ("load_b", b * 0), ("load_c", c * 0)):
        session.load(port, matrix)  # type: ignore[arg-type]
    session.read(M, N)
    session.read(M, N, after=(done,))
    result = _run(name, session, delay)
    assert result.taken(done) == TAKEN
    assert [result.statuses(f"load_{x}_answer")[1] for x in "abc"] == [Status.IN_USE] * 3
    assert result.statuses("read_c_answer") == [Status.IN_USE, Status.OK]
    np.testing.assert_array_equal(result.matrices[-1], a @ b + c)


@pytest.mark.parametrize("first", ["load", "read"])
@pytest.mark.parametrize(("name", "delay"), POINTS)
def test_a_load_and_a_read_out_of_the_same_words_wait_for_each_other(name: str, delay: int, first: str) -> None:
    design = gate_designs()[name]
    _, _, old = _operands(name, np.random.default_rng(delay))
    new = old[::-1] + 1
    session = CoreSession(design.parameters)
    loaded = session.load("load_c", old)
    order = ("load", "read") if first == "load" else ("read", "load")
    for step in order:
        taken = Event("load_c_command", 2) if first == "load" else Event("read_c_command", 1)
        after = (loaded,) if step == first else (loaded, taken)
        if step == "load":
            session.load("load_c", new, after=after)
        else:
            session.read(M, N, after=after)
    stall = {"load_c_beats": Stall(0.5, seed=delay), "read_c_beats": Stall(0.5, seed=delay)}
    result = _run(name, session, delay + 1, stall)
    np.testing.assert_array_equal(result.matrices[0], new if first == "load" else old)
