"""Long: random cores, new in every session, with random programs on each; `TILEWRIGHT_SEED` draws them again."""

from __future__ import annotations

import itertools

import pytest

from tilewright.sim_tests.system.campaign import run_programs
from tilewright.sim_tests.system.designs import random_designs
from tilewright.sim_tests.system.judge import Tally
from tilewright.sim_tests.system.session_seed import session_seed

CORES = 44
SUMS = 25_000  # of C, compared on each core
COMMANDS = 25


@pytest.mark.long
@pytest.mark.parametrize("index", range(CORES))
def test_random_core_does_what_the_interpreter_does(index: int) -> None:
    seed = session_seed()
    design = random_designs(seed, CORES)[index]
    total = Tally()
    for program in itertools.count(1):
        total.add(run_programs(design, seeds=[seed * 1000 + program], commands=COMMANDS))
        if total.sums >= SUMS:
            break


def test_the_long_run_is_long_enough() -> None:
    assert CORES >= 40
    assert len(random_designs(1, CORES)) == CORES
    assert CORES * SUMS >= 1_000_000
