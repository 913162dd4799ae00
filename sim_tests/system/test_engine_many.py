"""Long: random engines, new in every session, with random programs on each; `TILEWRIGHT_SEED` draws them again."""

from __future__ import annotations

import pytest

from tilewright.sim_tests.system.engine_campaign import run_engine
from tilewright.sim_tests.system.engine_designs import random_engines
from tilewright.sim_tests.system.session_seed import session_seed

ENGINES = 28
PRODUCTS = 80  # matrix products on each


@pytest.mark.long
@pytest.mark.parametrize("index", range(ENGINES))
def test_random_engine_does_what_the_interpreter_does(index: int) -> None:
    seed = session_seed()
    tally = run_engine(random_engines(seed, ENGINES)[index], seed=seed * 1000 + index, products=PRODUCTS)
    assert tally.products >= PRODUCTS


def test_the_long_run_is_long_enough() -> None:
    assert ENGINES >= 24
    assert ENGINES * PRODUCTS >= 2000


def test_random_engines_are_of_every_kind() -> None:
    for seed in (1, 2):
        configs = [design.config for design in random_engines(seed, ENGINES)]
        assert len({config.model_dump_json() for config in configs}) == ENGINES
        assert {config.dataflow for config in configs} == {"ws", "os", "is", "any"}
        assert {config.bus_bits for config in configs} == {32, 64, 128, 256, 512}
        assert {config.max_burst for config in configs} == {1, 3, 8, 16, 32, 256}
        assert {config.outstanding for config in configs} == {2, 4, 16, 32}
        assert {config.vector for config in configs} == {1, 2, 4}
        assert {str(config.acc)[:2] for config in configs} == {"in", "fp", "fx"}
        assert any(config.channels for config in configs) and any(config.functions for config in configs)


def test_random_engines_follow_their_seed() -> None:
    def dump(seed: int) -> list[str]:
        return [design.config.model_dump_json() for design in random_engines(seed, ENGINES)]

    assert dump(7) == dump(7) != dump(8)
