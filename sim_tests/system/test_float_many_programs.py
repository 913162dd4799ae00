"""Long: random cores of floats, new in every session, with random programs; `TILEWRIGHT_SEED` draws them again."""

from __future__ import annotations

import pytest

from tilewright.sim_tests.system.campaign import run_programs
from tilewright.sim_tests.system.float_designs import random_float_designs
from tilewright.sim_tests.system.session_seed import session_seed

CORES = 32
PROGRAMS = 10
COMMANDS = 25


@pytest.mark.long
@pytest.mark.parametrize("index", range(CORES))
def test_random_core_of_floats_does_what_the_interpreter_does(index: int) -> None:
    seed = session_seed()
    design = random_float_designs(seed, CORES)[index]
    tally = run_programs(design, seeds=range(seed * 1000, seed * 1000 + PROGRAMS), commands=COMMANDS)
    assert tally.commands == PROGRAMS * COMMANDS
    assert tally.sums > 1000


def test_random_cores_have_every_kind_of_float_sum() -> None:
    for seed in (1, 2):
        configs = [design.config for design in random_float_designs(seed, CORES)]
        assert {config.dataflow for config in configs} == {"ws", "os", "is", "any"}
        assert len({(str(config.a), str(config.b)) for config in configs}) >= 12
        assert {config.add_latency for config in configs} >= {1, 2, 3, 4, 5}
        assert CORES / 6 < sum(config.seeded and str(config.acc) != "fp32" for config in configs) < CORES / 2
        assert len({config.model_dump_json() for config in configs}) == CORES


def test_random_cores_of_floats_follow_their_seed() -> None:
    def dump(seed: int) -> list[str]:
        return [design.config.model_dump_json() for design in random_float_designs(seed, CORES)]

    assert dump(7) == dump(7) != dump(8)
