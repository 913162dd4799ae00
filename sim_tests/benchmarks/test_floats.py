"""The bench of float cores counts what it compares, and finds a wrong sum, a wrong core and a wrong oracle."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tilewright.sim_tests.benchmarks import float_judge
from tilewright.sim_tests.benchmarks.float_cores import FORMATS, WINDOWED, cores, windowed_cores
from tilewright.sim_tests.benchmarks.float_judge import Count, compare, compare_windows
from tilewright.sim_tests.benchmarks.scripts import script
from tilewright.sim_tests.harness import Build
from tilewright.sim_tests.system.designs import Design, gate_designs
from tilewright.sim_tests.system.float_cases import Case, Codes
from tilewright.sim_tests.system.float_runs import run_cases

SHAPES = 4


def built(name: str) -> Mapping[Design, Build]:
    design = gate_designs()[name]
    return {design: design.build()}


def compared(seed: int = 1) -> Count:
    rng = np.random.default_rng(seed)
    return compare(("bf16", "bf16"), built("any_3x4_bf16"), SHAPES, rng, unit=3, widest=6, deepest=12)


def test_products_are_counted_and_right() -> None:
    count = compared()
    assert (count.shapes, count.runs, count.identical) == (SHAPES, 3, SHAPES)
    assert count.mismatches == count.oracle_mismatches == 0
    assert count.results % 3 == 0 and count.results > 3 * SHAPES
    assert count.rational == SHAPES * float_judge.SAMPLES


def test_one_wrong_bit_in_one_dataflow_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(design: Design, build: Build, cases: list[Case], dataflow: int) -> list[Codes]:
        found = run_cases(design, build, cases, dataflow)
        found[2][0, 0] ^= int(dataflow == 1)
        return found

    monkeypatch.setattr(float_judge, "run_cases", wrong)
    count = compared()
    assert count.mismatches == 1 and count.identical == SHAPES - 1
    assert "product 2 on any_3x4_bf16 1: 1 of" in capsys.readouterr().out


def test_a_wrong_oracle_is_found_by_rational_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Case.expected
    monkeypatch.setattr(Case, "expected", lambda case, vector: right(case, vector) ^ 1)
    count = compared()
    assert count.oracle_mismatches == count.rational
    assert count.mismatches == count.results and count.identical == SHAPES


def test_windows_are_counted_and_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(float_judge, "WIDEST", 6)
    monkeypatch.setattr(float_judge, "DEEPEST", 12)
    counts = [compare_windows(built("any_2x3_fx48"), point, SHAPES, np.random.default_rng(1)) for point in (24, 9)]
    for count in counts:
        assert (count.shapes, count.runs, count.identical) == (SHAPES, 3, SHAPES)
        assert count.mismatches == count.oracle_mismatches == count.overflows == 0
    assert counts[0].underflows == 0 < counts[1].underflows


def test_the_bench_has_every_format_and_adds_of_several_cycles_in_every_dataflow() -> None:
    several = [core.config for name in FORMATS for core in cores(name)]
    assert {(str(c.a), str(c.b)) for c in several} == set(FORMATS.values())
    assert {c.dataflow for c in several if c.add_latency >= 3} == {"ws", "os", "is"}
    for name in FORMATS:
        found = [core.config for core in cores(name)]
        assert [c.dataflow for c in found] == ["ws", "os", "is", "any"]
        assert max(c.add_latency for c in found) >= 3
        assert {(c.rows, c.cols) for c in found} == {(8, 8)} and len({c.vector for c in found}) == 1
    assert len({(c.config.rows, c.config.cols) for c in windowed_cores()}) == len(windowed_cores()) == 3
    assert len(set(WINDOWED.values())) == 2
    assert script("floats").SHAPES >= 200
