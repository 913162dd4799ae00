"""The tests of `tilewright verify`: right cores pass them, wrong ones do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit import generate
from tilewright.generators.reference.core import DATAFLOWS
from tilewright.generators.reference.records import Status
from tilewright.sim_tests.harness import make
from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.verify.cores import SMALL, claim, core_from, edit, folder_of, subject_of
from tilewright.sim_tests.verify.outcome import Outcome, run_tests
from tilewright.sim_tests.verify.subject import generated
from tilewright.sim_tests.verify.tests import TESTS

PRESETS = (SMALL, "any-4x4-int8", "ws-8x8-int8-saturate")
MORE_PRESETS = ("is-12x5-uint8-int6", "os-8x8-int8-vector4")


def outcomes(folder: Path, *names: str) -> dict[str, Outcome]:
    subject = core_from(folder)
    return {o.test.name: o for o in run_tests(subject, make(subject.spec()), names or list(TESTS), seed=1)}


@pytest.mark.parametrize("name", [*PRESETS, *(pytest.param(name, marks=pytest.mark.long) for name in MORE_PRESETS)])
def test_presets_pass(name: str) -> None:
    subject = subject_of(name)
    found = {o.test.name: o for o in run_tests(subject, make(subject.spec()), list(TESTS), seed=1)}
    assert {o.test.name: o.reason for o in found.values() if not o.passed} == {}
    dataflows = len(DATAFLOWS[subject.config.dataflow])
    assert found["smoke"].commands == 3 * dataflows
    assert found["ragged"].commands == 10 * dataflows
    assert found["back-to-back"].commands >= 2 * dataflows**2
    assert found["cycles"].points == found["cycles"].commands > 1000
    assert found["rates"].points == found["rates"].commands == dataflows + 6
    assert all(outcome.compared > 0 for name, outcome in found.items() if name != "cycles")
    assert min(found[test].stalls for test in ("stalls", "order", "reset", "random")) > 1000
    assert min(found[test].refused for test in ("refusals", "in-use", "order")) > 200


def test_the_smallest_scratchpads_pass() -> None:
    words = {"a_words": 1, "b_words": 1, "c_words": 1}
    config = systolic_config({"rows": 1, "cols": 1, "dataflow": "os", **words})
    subject = generated("smallest", config, generate(config))
    found = run_tests(subject, make(subject.spec()), list(TESTS), seed=1)
    assert {o.test.name: o.reason for o in found if not o.passed} == {}


def test_every_reason_to_refuse_is_met() -> None:
    subject = subject_of(SMALL)
    bench = Bench(subject.design, make(subject.spec()), "refusals", 1)
    TESTS["refusals"].run(bench)
    assert set(bench.tally.refused) == set(Status) - {Status.OK, Status.BAD_POINT}  # integers have no binary point


def test_the_same_seed_repeats_a_test_and_another_does_not() -> None:
    subject = subject_of(SMALL)
    build = make(subject.spec())
    first, again, other = (run_tests(subject, build, ["random"], seed)[0] for seed in (7, 7, 8))
    assert (first.cycles, first.stalls, first.compared) == (again.cycles, again.stalls, again.compared)
    assert (first.cycles, first.stalls, first.compared) != (other.cycles, other.stalls, other.compared)


def test_a_wrong_sum_is_found(tmp_path: Path) -> None:
    edit(folder_of(SMALL, tmp_path) / "tilewright_gemm.v", "total = sum_in + ", "total = sum_in - ")
    found = outcomes(tmp_path, "smoke", "cycles")
    assert "C[0, 0]: expected" in found["smoke"].reason
    assert found["smoke"].commands > 0, "what ran before the difference counts"
    assert found["cycles"].passed


def test_a_wrong_cycle_is_found(tmp_path: Path) -> None:
    claim(folder_of(SMALL, tmp_path), pipeline=2)
    found = outcomes(tmp_path, "smoke", "cycles")
    assert found["smoke"].passed
    assert "expected taken and completed in cycles" in found["cycles"].reason


def test_a_wrong_answer_is_found(tmp_path: Path) -> None:
    claim(folder_of(SMALL, tmp_path), a_words=1025)
    found = outcomes(tmp_path, "smoke", "refusals")
    assert found["smoke"].passed
    assert "expected status" in found["refusals"].reason


def test_a_wrong_depth_is_found_from_either_side(tmp_path: Path) -> None:
    """The Verilog has a word more or less of one scratchpad than it claims."""
    right = subject_of(SMALL).config.scratchpads
    for side in ("a", "b", "c"):
        for words in (getattr(right, side).words - 1, getattr(right, side).words + 1):
            claim(folder_of(SMALL, tmp_path), **{f"{side}_words": words})
            assert "expected status" in outcomes(tmp_path, "refusals")["refusals"].reason, (side, words)


def test_a_transfer_that_is_not_refused_is_found(tmp_path: Path) -> None:
    file = folder_of(SMALL, tmp_path) / "tilewright_gemm.v"
    for port in ("load_a", "load_b", "load_c", "read_c"):
        edit(file, f".in_use({port}_in_use)", ".in_use(1'b0)")
    found = outcomes(tmp_path, "smoke", "in-use", "order")
    assert found["smoke"].passed
    assert "expected status IN_USE, got 0" in found["in-use"].reason
    assert not found["order"].passed
