"""Which of several cores a run fails by."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.blame import Blame
from tilewright.sim_tests.drivers.cycle_by_cycle import Ports, run

FAULT = int(Cause.LOAD_REFUSED) | 8 << 8


def play(cores: int, script: list[Mapping[str, int]]) -> list[Ports]:
    """Outputs in the cycles in which the inputs of ``script`` are there, and one more."""
    seen: list[Ports] = []

    def step(cycle: int, outputs: Ports) -> Mapping[str, int] | None:
        seen.append(dict(outputs))
        return {"running": 1, **script[cycle]} if cycle < len(script) else None

    run(Blame(cores), step)
    return seen[1:]


@pytest.mark.parametrize("cores", [2, 3, 16])
def test_the_first_core_with_a_fault_is_told(cores: int) -> None:
    last = cores - 1
    seen = play(
        cores,
        [
            {f"fault_valid_{last}": 1, f"fault_{last}": FAULT},
            {"fault_valid_1": 1, "fault_1": FAULT + (7 << 16)},
            {"fault_valid_1": 0, f"fault_valid_{last}": 0},
            {"running": 0},
        ],
    )
    assert (seen[0]["fault_valid"], seen[0]["fault"]) == (1, FAULT)
    assert seen[1]["fault"] == (FAULT + (7 << 16))
    assert [outputs["core"] for outputs in seen[1:3]] == [last, 1]
    assert not seen[2]["fault_valid"]


def test_a_core_that_lacks_a_token_hangs_before_one_whose_bus_is_busy() -> None:
    seen = play(
        4,
        [
            {"reading_1": 1},
            {"writing_3": 1, "reading_1": 0},
            {"store_missing_2": 0x8001, "load_missing_3": 4},
            {"store_missing_2": 0, "load_missing_3": 0, "writing_3": 0},
            {"running": 0},
        ],
    )
    assert [(o["reading"], o["writing"]) for o in seen[:4]] == [(1, 0), (0, 1), (0, 1), (0, 0)]
    assert [o["core"] for o in seen[1:]] == [1, 3, 2, 0]
    assert (seen[2]["store_missing"], seen[2]["load_missing"], seen[2]["compute_missing"]) == (0x8001, 0, 0)
    assert not seen[3]["store_missing"]


def test_a_fault_that_is_no_cores_goes_first_and_the_last_run_stays_told() -> None:
    seen = play(
        3,
        [
            {"fault_valid_1": 1, "fault_1": FAULT, "other_valid": 1, "other_core": 9},
            {"running": 0, "fault_valid_1": 1, "other_valid": 0},
            {"running": 0},
            {"running": 0},
        ],
    )
    assert [outputs["core"] for outputs in seen[1:]] == [9, 9, 9]


@pytest.mark.parametrize("cores", [1, 17])
def test_refusals(cores: int) -> None:
    with pytest.raises(ValueError, match=rf"^cores must be 2..16, got {cores}$"):
        Blame(cores)
