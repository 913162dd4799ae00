"""A reset in the middle of whatever the core does; then it works as from the start."""

from __future__ import annotations

import pytest

from tilewright.generators.reference.core import ReferenceCore
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.harness.run import Run
from tilewright.sim_tests.system import resets as module
from tilewright.sim_tests.system.bench import gate_bench
from tilewright.sim_tests.system.resets import COMMANDS, resets

INTEGERS = ("any_4x4", "ws_3x5", "os_8x3", "os_7x2", "is_12x5", "is_4x6_saturate")
FLOATS = ("any_3x4_bf16", "os_4x3_fp16", "ws_5x2_fp8", "any_2x3_fx48")
CORES = INTEGERS + FLOATS
MOMENTS = 12


@pytest.mark.parametrize("name", CORES)
def test_core_works_again_after_a_reset_at_any_time(name: str) -> None:
    bench = gate_bench(name)
    first, last = module.Scene(bench).rehearse().busy()
    assert last - first > 2 * MOMENTS
    assert resets(bench, MOMENTS) == MOMENTS, "every reset cut a read-out off"
    assert bench.tally.commands == MOMENTS * COMMANDS


def test_victims_may_have_ended_before_the_reset() -> None:
    """In the cycle in which an answer would be taken it is lost, and the cycle after it is not."""
    bench = gate_bench("os_7x2")
    scene = module.Scene(bench)
    rehearsal = scene.rehearse()
    for end in rehearsal.answered:
        for cycle in (end, end + 1):
            assert scene.cut(rehearsal, cycle, 1) == (rehearsal.answered[0] >= cycle)
    assert bench.tally.commands == 2 * len(rehearsal.answered) * COMMANDS


@pytest.mark.parametrize(
    ("settled", "offered", "busy"),
    [
        (10, (30, 40), (10, 29)),
        (10, (11, 40), (10, 10)),
        (10, (10, 40), (10, 39)),
        (10, (5, 20), (10, 19)),
        (10, (5, 9), (10, 10)),
    ],
)
def test_the_moments_are_those_in_which_most_is_at_work(
    settled: int, offered: tuple[int, int], busy: tuple[int, int]
) -> None:
    assert module.Rehearsal(settled, offered, offered).busy() == busy


def test_a_core_that_is_not_reset_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answers come although nobody waits for them any more, and loads that were cut off take what is not theirs."""
    monkeypatch.setattr(Run, "reset", lambda run, *_: run)
    with pytest.raises(SimulationFailed, match=r"but only 2 are expected|expected status OK, got"):
        resets(gate_bench("ws_3x5"))


def test_a_core_that_forgets_more_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference remembers what the commands that were cut off had computed."""
    monkeypatch.setattr(ReferenceCore, "reset", lambda core: core.in_flight.clear())
    with pytest.raises(SimulationFailed, match=r"C.*: expected"):
        resets(gate_bench("ws_3x5"))
