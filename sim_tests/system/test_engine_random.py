"""Random programs on the engines of the gate: every byte of memory against the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.program.convolution import Convolution
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.transposed import Transposed
from tilewright.sim_tests.harness.axi_memory import ORDERS
from tilewright.sim_tests.harness.stall import as_stall
from tilewright.sim_tests.system.engine_campaign import MEMORY_BYTES, differences, run_engine
from tilewright.sim_tests.system.engine_designs import gate_engines
from tilewright.sim_tests.system.engine_memory import random_memory
from tilewright.sim_tests.system.engine_programs import Author

PRODUCTS = 80


@pytest.mark.parametrize("name", gate_engines())
def test_engine_does_what_the_interpreter_does(name: str) -> None:
    tally = run_engine(gate_engines()[name], seed=2, products=PRODUCTS)
    assert tally.products >= PRODUCTS
    assert tally.results > 4000


def test_random_programs_have_all_that_programs_can_have() -> None:
    design = gate_engines()["ws_4x4"]
    rng = np.random.default_rng(2)
    jobs = [Author(design, rng, rng.integers(0, 256, MEMORY_BYTES, dtype=np.uint8)).job() for _ in range(60)]
    products = [product for job in jobs for product, _ in job.products]
    tilings = [tiling for job in jobs for _, tiling in job.products]
    assert {job.commands for job in jobs} == {1, 2, 3, 4}
    views = [view for product in products for view in (product.a, product.b, product.c)]
    assert {view.address % 16 for view in views if isinstance(view, Matrix)} == set(range(16))
    assert sum(isinstance(product.a, Convolution) for product in products) > 20
    assert min(sum(isinstance(getattr(product, m), Transposed) for product in products) for m in "abc") > 5
    assert min(sum(product.has_bias for product in products), sum(product.accumulate for product in products)) > 10
    assert sum(product.start is not None and product.start == product.c for product in products) > 5
    finishes = [product.finish for product in products]
    finished = [finish for finish in finishes if finish is not None]
    assert min(finishes.count(None), sum(finish.channels is not None for finish in finished)) > 10
    for part in ("b_zero", "added", "pool_width", "table"):
        assert sum(bool(getattr(finish, part)) for finish in finished) > 10, part
    assert any(f.b_zero and f.added and f.table and f.channels is not None for f in finished)
    assert any(f.b_zero and f.pool_width and f.channels is not None for f in finished)
    assert {tiling.order for tiling in tilings} == {"mn", "nm"}
    assert {tiling.a_resident for tiling in tilings} == {tiling.b_resident for tiling in tilings} == {False, True}
    assert len({tiling.a_stages for tiling in tilings}) > 5 and max(tiling.a_chunks for tiling in tilings) > 1
    assert {1, 2, 3, 4, 5} < {size for product in products for size in (product.m, product.n, product.k)}


def test_random_memories_have_all_that_memories_can_do() -> None:
    rng = np.random.default_rng(3)
    memories = [random_memory(rng) for _ in range(300)]
    assert {memory.order for memory in memories} == set(ORDERS)
    assert {1, 200} <= {memory.latency for memory in memories}
    assert {1, 64} <= {memory.outstanding for memory in memories}
    for channel in ("ar", "r", "aw", "w", "b"):
        stalls = [as_stall(memory.stalls[channel]) for memory in memories]
        assert any(stall.burst_length[1] > 4000 and stall.burst_probability for stall in stalls)
        assert any(stall.probability > 0.5 for stall in stalls)


def test_one_wrong_byte_anywhere_is_found() -> None:
    memory = np.zeros(100, dtype=np.uint8)
    assert differences(memory, memory.copy()) == ""
    for at in (0, 57, 99):
        wrong = memory.copy()
        wrong[at] = 1
        assert f"the first at 0x{at:x}" in differences(wrong, memory)
