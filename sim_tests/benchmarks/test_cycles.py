"""The bench of the cycle model counts points and finds a model that is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.reference.cycles import CycleModel
from tilewright.sim_tests.benchmarks.scripts import script
from tilewright.sim_tests.drivers import cycle_points
from tilewright.sim_tests.system.designs import gate_designs


def test_every_ordered_pair_is_among_the_points() -> None:
    design = gate_designs()["any_4x4"]
    commands, different, traits = script("cycles").compare(design, design.build(), 30, 1)
    assert commands >= 30 and different == 0
    assert {f"{a} then {b}" for a in ("ws", "os", "is") for b in ("ws", "os", "is")} <= set(traits)


def test_a_wrong_model_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def deeper(config: SystolicConfig) -> CycleModel:
        return replace(cycle_model(config), pipeline=config.pipeline + 1)

    monkeypatch.setattr(cycle_points, "cycle_model", deeper)
    design = gate_designs()["any_4x4"]
    commands, different, _ = script("cycles").compare(design, design.build(), 10, 1)
    assert different == commands
    assert "expected (" in capsys.readouterr().out


def test_the_bench_has_cores_enough_and_all_different() -> None:
    bench = script("cycles")
    cores = [bench.design(*kind, *size) for kind, sizes in bench.CORES.items() for size in sizes]
    assert len({core.config.model_dump_json() for core in cores}) == len(cores) >= 24
