"""Transfers and commands that share words, without the user waiting for answers: whoever was taken first has them."""

from __future__ import annotations

import pytest

from tilewright.generators.reference.records import Status
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.system.bench import gate_bench
from tilewright.sim_tests.system.judge import Judge
from tilewright.sim_tests.system.order import APART, order, races
from tilewright.sim_tests.system.program import Step

DESIGNS = ("any_4x4", "ws_3x5", "is_12x5", "any_3x7_saturate")


@pytest.mark.parametrize("name", DESIGNS)
def test_who_comes_first_has_the_words(name: str) -> None:
    bench = gate_bench(name)
    order(bench)
    # A transfer is refused where it comes after the command: at all distances but none, seven kinds, three patterns.
    # Loads that bring more than they told end with a status of their own otherwise.
    assert bench.tally.refused == {Status.IN_USE: APART * 7 * 3, Status.LENGTH: (APART + 2) * 3}


def kind(step: Step) -> str:
    return "command" if step.command is not None else step.port or "read-out"


def test_races_are_of_all_kinds_and_distances() -> None:
    bench = gate_bench("any_4x4")
    found = list(races(bench, bench.author(), 0))
    assert {race.later for race in found} == set(range(APART + 1))
    kinds = {(kind(race.first), kind(race.second)) for race in found}
    assert kinds == {
        *(("a", "command"), ("b", "command"), ("c", "command"), ("read-out", "command"), ("c", "read-out")),
        *(("command", "a"), ("command", "b"), ("command", "c"), ("command", "read-out"), ("read-out", "c")),
    }


def test_a_judge_to_whom_commands_come_first_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Judge._turn
    monkeypatch.setattr(Judge, "_turn", lambda *of: (right(*of)[0] - (4 if of[1].command is not None else 0), 0))
    with pytest.raises(SimulationFailed, match="expected"):
        order(gate_bench("ws_3x5"))
