"""Runs begin, end, fail and get stuck."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.supervisor import QUIET, Supervisor
from tilewright.sim_tests.drivers.cycle_by_cycle import Ports, run

AT_REST = {"over": 1, "quiet": 1}


def _play(script: Mapping[int, Mapping[str, int]], cycles: int) -> list[Ports]:
    """Outputs of each cycle; ``script`` sets inputs from the edge at the end of a cycle on."""
    seen: list[Ports] = []

    def step(cycle: int, outputs: Ports) -> Mapping[str, int] | None:
        seen.append(dict(outputs))
        return script.get(cycle, {}) if cycle < cycles else None

    run(Supervisor(("read", "load")), step)
    return seen


def _cause(outputs: Ports) -> tuple[int, int, int]:
    fault = outputs["fault"]
    return fault & 0xFF, fault >> 8 & 0xFF, fault >> 16


def _ends(seen: list[Ports]) -> list[int]:
    return [cycle for cycle, outputs in enumerate(seen) if outputs["ended"]]


def test_a_run_ends_when_all_is_at_rest() -> None:
    seen = _play({1: {"start": 1}, 2: {"start": 0}, 10: {"over": 1}, 20: {"quiet": 1}}, 60)
    (end,) = _ends(seen)
    assert 20 + QUIET <= end <= 20 + QUIET + 4
    assert _cause(seen[end])[0] == Cause.NONE and seen[end]["flush"]
    assert [outputs["running"] for outputs in seen[3 : end - 1]] == [1] * (end - 4)
    assert not seen[end + 1]["busy"] and not seen[1]["busy"]


@pytest.mark.parametrize("bus", ["reading", "writing"])
def test_a_run_does_not_end_while_the_bus_is_busy(bus: str) -> None:
    seen = _play({0: AT_REST | {bus: 1}, 1: {"start": 1}, 2: {"start": 0}, 50: {bus: 0}}, 80)
    (end,) = _ends(seen)
    assert end > 50


@pytest.mark.parametrize("bus", ["reading", "writing"])
def test_the_first_fault_counts_and_waits_for_the_bus(bus: str) -> None:
    load = Cause.LOAD_REFUSED | 8 << 8 | 77 << 16
    read = Cause.READ_ERROR | 2 << 8 | 78 << 16
    script = {1: {"start": 1}, 2: {"start": 0, bus: 1}, 10: {"load": load, "load_valid": 1, "load_missing": 5}}
    script |= {11: {"load_valid": 0, "load_missing": 0, "read": read, "read_valid": 1}, 12: {"read_valid": 0}}
    seen = _play(script | {40: {bus: 0}}, 80)
    (end,) = _ends(seen)
    assert 40 + QUIET <= end <= 40 + QUIET + 4
    assert _cause(seen[end]) == (Cause.LOAD_REFUSED, 8, 77)
    assert seen[13]["stop"] and not seen[13]["running"] and not seen[30]["flush"] and seen[end]["flush"]
    assert seen[end]["load_missed"] == 5


def test_of_faults_in_one_cycle_the_first_source_counts() -> None:
    script = {1: {"start": 1}, 2: {"start": 0, "load": Cause.LOAD_REFUSED, "read": Cause.READ_ERROR}}
    seen = _play(script | {5: {"load_valid": 1, "read_valid": 1, "give_up": 1}}, 40)
    assert _cause(seen[_ends(seen)[0]])[0] == Cause.READ_ERROR


def test_a_run_that_is_given_up() -> None:
    seen = _play({1: {"start": 1}, 2: {"start": 0}, 9: {"give_up": 1}, 10: {"give_up": 0}}, 40)
    (end,) = _ends(seen)
    assert _cause(seen[end])[0] == Cause.ABORTED and end <= 10 + QUIET + 4


def test_a_run_without_progress_is_stuck() -> None:
    script = {0: {"watchdog": 30}, 1: {"start": 1}, 2: {"start": 0, "store_missing": 1 << 15, "progress": 1}}
    seen = _play(script | {20: {"progress": 0}}, 100)
    (end,) = _ends(seen)
    assert 20 + 30 < end < 20 + 30 + QUIET + 6
    assert _cause(seen[end])[:2] == (Cause.STUCK, 0b00100) and seen[end]["store_missed"] == 1 << 15


def test_a_bus_that_never_answers_is_told_and_the_engine_stays_busy() -> None:
    script = {0: {"watchdog": 30}, 1: {"start": 1}, 2: {"start": 0, "writing": 1}}
    seen = _play(script | {150: {"writing": 0}}, 200)
    (end,) = _ends(seen)
    assert 60 < end < 75 and _cause(seen[end])[:2] == (Cause.STUCK, 0b10000)
    assert all(outputs["busy"] and not outputs["flush"] for outputs in seen[5:150])
    assert not seen[165]["busy"]


def test_the_next_run_begins_afresh() -> None:
    script = {0: AT_REST, 1: {"start": 1}, 2: {"start": 0, "load": Cause.LOAD_REFUSED, "load_valid": 1}}
    script |= {4: {"load_valid": 0}, 40: {"start": 1}, 41: {"start": 0}}
    seen = _play(script, 80)
    first, second = _ends(seen)
    assert _cause(seen[first])[0] == Cause.LOAD_REFUSED and _cause(seen[second])[0] == Cause.NONE
