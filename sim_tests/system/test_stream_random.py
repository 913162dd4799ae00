"""Random programs on the engine with AXI4-Stream ports: every byte of the DMA's memory against the interpreter."""

from __future__ import annotations

from tilewright.sim_tests.system.engine_campaign import run_engine
from tilewright.sim_tests.system.stream_engines import stream_engine

PRODUCTS = 40


def test_stream_engine_does_what_the_interpreter_does() -> None:
    tally = run_engine(stream_engine(), seed=1, products=PRODUCTS)
    assert tally.products >= PRODUCTS
    assert tally.results > 2000
