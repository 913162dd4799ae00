"""Long: random engines with AXI4-Stream ports, new in every session; `TILEWRIGHT_SEED` draws them again."""

from __future__ import annotations

import pytest

from tilewright.generators.config.engine import EngineConfig
from tilewright.sim_tests.system.engine_campaign import run_engine
from tilewright.sim_tests.system.engine_designs import EngineDesign, random_engines
from tilewright.sim_tests.system.session_seed import session_seed

ENGINES = 12
PRODUCTS = 60  # matrix products on each


def with_streams(design: EngineDesign) -> EngineDesign:
    """The same engine with streams in place of its memory port."""
    return EngineDesign(
        design.name, EngineConfig(**{**design.config.model_dump(), "data_ports": "axi4-stream", "cores": 1})
    )


@pytest.mark.long
@pytest.mark.parametrize("index", range(ENGINES))
def test_random_engine_with_streams_does_what_the_interpreter_does(index: int) -> None:
    seed = session_seed()
    design = with_streams(random_engines(seed, ENGINES)[index])
    tally = run_engine(design, seed=seed * 1000 + index, products=PRODUCTS)
    assert tally.products >= PRODUCTS


def test_random_engines_with_streams_are_of_every_width_and_kind() -> None:
    for seed in (1, 2):
        configs = [with_streams(design).config for design in random_engines(seed, ENGINES)]
        assert all(config.streams for config in configs)
        assert {config.bus_bits for config in configs} == {32, 64, 128, 256, 512}
        assert {str(config.acc)[:2] for config in configs} >= {"in", "fp"}
