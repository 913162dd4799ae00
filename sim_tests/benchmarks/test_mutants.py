"""Planted faults sleep, wake one at a time, are found, and are excused only with reason."""

from __future__ import annotations

import os
from functools import partial

import pytest

from tilewright.sim_tests.benchmarks.mutant_proofs import same_behaviour, unobservable
from tilewright.sim_tests.benchmarks.mutants import Planted, awake, build_planted, killed_by, plant
from tilewright.sim_tests.system.campaign import random_program
from tilewright.sim_tests.system.designs import gate_designs

FAULTS = 12


@pytest.fixture(scope="module")
def planted() -> Planted:
    return plant(gate_designs()["ws_3x5"], FAULTS, 3)


def test_the_same_seed_plants_the_same_faults(planted: Planted) -> None:
    assert len(planted.mutants) == FAULTS
    assert plant(planted.design, FAULTS, 3).mutants == planted.mutants
    assert plant(planted.design, FAULTS, 4).mutants != planted.mutants


def test_one_fault_is_awake_at_a_time(planted: Planted) -> None:
    before = dict(os.environ)
    with awake(planted.mutants[4].number):
        assert os.environ["TILEWRIGHT_MUTANT"] == "5"
    assert dict(os.environ) == before


def test_faults_are_found_and_none_that_is_found_is_excused(planted: Planted) -> None:
    build = build_planted(planted)
    tests = [(f"program {seed}", partial(random_program, planted.design, build, seed, 20)) for seed in (1, 2, 3)]
    assert killed_by(None, tests) == "", "asleep they change nothing"
    found = [mutant for mutant in planted.mutants if killed_by(mutant, tests)]
    assert len(found) >= FAULTS // 2
    assert unobservable(planted, found) == set()
    elements = [mutant for mutant in found if "_pe_" in mutant.fields["module"] or "skew_" in mutant.fields["module"]]
    assert not any(same_behaviour(planted, mutant) for mutant in elements)
