"""Long: random engines, new in every session, with random programs on each; `TILEWRIGHT_SEED` draws them again."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.system.engine_campaign import run_engine
from tilewright.sim_tests.system.engine_designs import random_engines
from tilewright.sim_tests.system.session_seed import VARIABLE, session_seed

ENGINES = 28
PRODUCTS = 80  # matrix products on each


def again(seed: int, index: int) -> str:
    """The command that makes the same engine and its programs once more."""
    test = f"{os.path.relpath(__file__)}::{test_random_engine_does_what_the_interpreter_does.__name__}"
    return f"{VARIABLE}={seed} {sys.executable} -m pytest -m long '{test}[{index}]'"


@pytest.mark.long
@pytest.mark.parametrize("index", range(ENGINES))
def test_random_engine_does_what_the_interpreter_does(index: int) -> None:
    seed = session_seed()
    try:
        tally = run_engine(random_engines(seed, ENGINES)[index], seed=seed * 1000 + index, products=PRODUCTS)
    except SimulationFailed:  # tells how to replay what was simulated
        raise
    except Exception as failure:
        failure.add_note(f"replay: {again(seed, index)}")
        raise
    assert tally.products >= PRODUCTS


def test_a_failure_outside_the_simulation_tells_how_to_see_it_again() -> None:
    variable, _, command = again(77, 3).partition(" ")
    assert variable == f"{VARIABLE}=77"
    found = subprocess.run([*shlex.split(command), "--collect-only", "-q"], capture_output=True, text=True, check=True)
    assert "test_engine_many.py::test_random_engine_does_what_the_interpreter_does[3]" in found.stdout


def test_the_long_run_is_long_enough() -> None:
    assert ENGINES >= 24
    assert ENGINES * PRODUCTS >= 2000


def test_random_engines_are_of_every_kind() -> None:
    for seed in (1, 2, 3):
        configs = [design.config for design in random_engines(seed, ENGINES)]
        assert len({config.model_dump_json() for config in configs}) == ENGINES
        assert {config.dataflow for config in configs} == {"ws", "os", "is", "any"}
        assert {config.bus_bits for config in configs} == {32, 64, 128, 256, 512}
        assert {config.max_burst for config in configs} == {1, 3, 8, 16, 32, 256}
        assert {config.outstanding for config in configs} == {2, 4, 16, 32}
        assert {config.vector for config in configs} == {1, 2, 4}
        assert {config.cores > 1 for config in configs} == {False, True}
        assert {str(config.acc)[:2] for config in configs} == {"in", "fp", "fx"}
        for part in ("channels", "row_sums", "adds", "pool_words", "table", "functions"):
            assert any(getattr(config, part) for config in configs), part


def test_random_engines_follow_their_seed() -> None:
    def dump(seed: int) -> list[str]:
        return [design.config.model_dump_json() for design in random_engines(seed, ENGINES)]

    assert dump(7) == dump(7) != dump(8)
