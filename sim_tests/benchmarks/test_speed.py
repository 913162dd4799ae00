"""The bench of simulation speed builds anew and times one command."""

from __future__ import annotations

import pytest

from tilewright.sim_tests.benchmarks.scripts import script
from tilewright.sim_tests.system.designs import gate_designs


def test_a_run_is_timed_between_command_and_completion(monkeypatch: pytest.MonkeyPatch) -> None:
    bench, design = script("speed"), gate_designs()["any_4x4"]
    monkeypatch.setattr(bench, "EXTENT", 16)
    cycles, times = bench._product(design, design.build())
    assert 256 < cycles < 400
    assert times.wall > 0
