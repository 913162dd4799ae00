"""Words of a command in flight are refused, whatever its place in the table; those that only touch them are free."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.generators.reference.records import Status
from tilewright.generators.reference.scratchpad import Span
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.system.bench import gate_bench
from tilewright.sim_tests.system.neighbours import crowds, neighbour_steps, neighbours, places, words_at_powers

DESIGNS = ("any_4x4", "ws_3x5", "is_12x5", "os_2x3_saturate")


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("scenes", [places, crowds, words_at_powers])
def test_words_in_use_are_refused_and_others_are_not(name: str, scenes: object) -> None:
    assert callable(scenes)
    bench = gate_bench(name)
    steps = neighbour_steps(bench, scenes(bench))
    dares = [(step, steps[step.dares].command) for step in steps if step.dares is not None]
    used = sum(bench.rules.uses(c, s.side, s.transfer) for s, c in dares if c is not None and s.transfer is not None)
    result = bench.run(steps)
    in_time = [
        result.taken(result.operations[place]) < result.offered(result.operations[step.dares])
        for place, step in enumerate(steps)
        if step.dares is not None
    ]
    assert sum(in_time) > 0.95 * len(in_time), "nearly all came while the command was in flight"
    assert 0.95 * used < bench.tally.refused[Status.IN_USE] <= used < 0.7 * len(dares)


@pytest.mark.parametrize("scenes", [places, words_at_powers])
def test_scenes_are_in_every_place_of_the_table(scenes: object) -> None:
    assert callable(scenes)
    place, found = 0, set()
    for scene in scenes(gate_bench("ws_3x5")):
        place += len(scene.before) + 1
        found.add((replace(scene.command, region=0), (place - 1) % 4))
    assert len(found) == 4 * len({command for command, _ in found})


@pytest.mark.parametrize("below", [True, False])
def test_a_reference_in_which_words_that_touch_are_shared_differs(below: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def overlaps(one: Span, other: Span) -> bool:
        if below:
            return one.low <= other.high and other.low < one.high
        return one.low < other.high and other.low <= one.high

    bench = gate_bench("ws_3x5")
    monkeypatch.setattr(Span, "overlaps", overlaps)
    with pytest.raises(SimulationFailed, match="expected status IN_USE, got 0"):
        neighbours(bench)
