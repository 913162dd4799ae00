"""A reset in the middle of whatever the core does; then it works as from the start."""

from __future__ import annotations

import pytest

from tilewright.generators.reference.core import ReferenceCore
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.harness.run import Run
from tilewright.sim_tests.system import resets as module
from tilewright.sim_tests.system.bench import gate_bench
from tilewright.sim_tests.system.resets import COMMANDS, resets

CORES = ("any_4x4", "ws_3x5", "os_8x3", "is_12x5", "is_4x6_saturate")
MOMENTS = 12


@pytest.mark.parametrize("name", CORES)
def test_core_works_again_after_a_reset_at_any_time(name: str) -> None:
    bench = gate_bench(name)
    first, last = module.Scene(bench).busy()
    assert last - first > 2 * MOMENTS
    assert resets(bench, MOMENTS) == MOMENTS, "every reset cut a read-out off"
    assert bench.tally.commands == MOMENTS * COMMANDS


def test_a_core_that_is_not_reset_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answers come although nobody waits for them any more."""
    monkeypatch.setattr(Run, "reset", lambda run, *_: run)
    with pytest.raises(SimulationFailed, match="but only 2 are expected"):
        resets(gate_bench("ws_3x5"))


def test_a_core_that_forgets_more_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference remembers what the commands that were cut off had computed."""
    monkeypatch.setattr(ReferenceCore, "reset", lambda core: core.in_flight.clear())
    with pytest.raises(SimulationFailed, match=r"C.*: expected"):
        resets(gate_bench("ws_3x5"))
