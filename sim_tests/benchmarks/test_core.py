"""The bench of the core measures what the model predicts, and tells of a wrong C."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.sim_tests.benchmarks.scripts import SCRIPTS, script
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.system.designs import gate_designs


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_each_bench_says_in_one_line_what_it_measures(path) -> None:  # type: ignore[no-untyped-def]
    first = path.read_text().splitlines()[0]
    assert first.startswith('"""') and first.endswith('"""') and len(first) <= 120
    assert callable(script(path.stem).main)


@pytest.mark.parametrize("dataflow", ["ws", "os", "is"])
def test_measured_cycles_are_those_of_the_model(dataflow: str) -> None:
    design = gate_designs()["any_4x4"]
    cycles = script("core").measured(design, design.build(), (9, 11, 10), dataflow)
    assert cycles == cycle_model(design.config, "any").cycles(9, 11, 10, dataflow)


def test_a_wrong_c_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    design, bench = gate_designs()["any_4x4"], script("core")
    monkeypatch.setattr(bench.np, "array_equal", lambda left, right: not np.all(left == right))
    with pytest.raises(SimulationFailed, match="computed a wrong C"):
        bench.measured(design, design.build(), (4, 4, 4), "ws")
