"""Products and convolutions of any shape on the engine with AXI4-Stream ports, by the driver alone, against numpy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.addition import Addition
from tilewright.fpga.host.engine_link import EngineLink
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.joined import Part, joined
from tilewright.generators.program.product import Finish, Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.reference.engine_packets import packets
from tilewright.hdl.numeric import IntFormat, requantise
from tilewright.hdl.numeric.requantise import fixed_point
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.simulate.engine_transport import transport
from tilewright.sim_tests.system.stream_engines import stream_engine

Integers = NDArray[np.int64]
CONFIG = stream_engine().config
RESULT = IntFormat(8)
SLOW = AxiMemory(latency=40, stalls={"ar": 0.3, "r": 0.3, "w": 0.3})
# 0, 1, the array and its neighbours, a beat of the bus and its neighbours, primes.
SIZES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 17)


@pytest.fixture(scope="module")
def engine() -> Iterator[Accelerator]:
    session = stream_engine().session(memory_bytes=1 << 22)
    with Accelerator(transport(session, CONFIG, SLOW), CONFIG) as found:
        yield found


def numbers(rng: np.random.Generator, *shape: int) -> Integers:
    found: Integers = rng.integers(-128, 128, shape)
    return found


def wrapped(sums: Integers) -> Integers:
    """As accumulators of 32 bits hold them."""
    return sums.astype(np.int32).astype(np.int64)


@pytest.mark.parametrize("seed", range(12))
def test_random_products(engine: Accelerator, seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n, k = (int(size) for size in rng.choice(SIZES, 3))
    a, b = numbers(rng, m, k), numbers(rng, k, n)
    bias, c = rng.integers(-(2**20), 2**20, n), rng.integers(-(2**31), 2**31, (m, n))
    assert np.array_equal(engine.matmul(a, b, bias=bias), a @ b + bias), (m, n, k)
    assert np.array_equal(engine.matmul(a, b, c=c), wrapped(a @ b + c)), (m, n, k)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 8, 9, 17])
def test_every_edge(engine: Accelerator, size: int) -> None:
    """Each dimension alone at the edge."""
    rng = np.random.default_rng(size)
    for m, n, k in ((size, 5, 7), (5, size, 7), (7, 5, size), (size, size, size)):
        a, b = numbers(rng, m, k), numbers(rng, k, n)
        assert np.array_equal(engine.linear(a, b.T), a @ b), (m, n, k)


@pytest.mark.parametrize("dataflow", ["ws", "os", "is"])
def test_many_tiles(engine: Accelerator, dataflow: str) -> None:
    """More than the scratchpads hold, in every dataflow."""
    rng = np.random.default_rng(7)
    a, b = numbers(rng, 64, 67), numbers(rng, 67, 61)
    tiling = Tiling(dataflow, "nm", 9, 10, 17, a_stages=2, b_stages=2, c_places=2)
    assert np.array_equal(engine.matmul(a, b, tiling=tiling), a @ b)


@pytest.mark.parametrize("per_channel", [False, True])
def test_finished_results(engine: Accelerator, per_channel: bool) -> None:
    rng = np.random.default_rng(3)
    for m, n, k in ((1, 1, 1), (7, 11, 13)):
        a, b = numbers(rng, m, k), numbers(rng, k, n)
        scale = rng.uniform(0.0005, 0.002, n) if per_channel else 0.001
        found = engine.matmul(a, b, scale=scale, zero_point=-5, b_zero=3)
        sums = a @ (b - 3)
        columns = np.broadcast_to(scale, n)
        for column in range(n):
            expected = requantise(sums[:, column], *fixed_point(float(columns[column])), -5, RESULT)
            assert np.array_equal(found[:, column], expected)


def test_another_tensor_is_added(engine: Accelerator) -> None:
    """Its packets are those of loads, too, between those of the next product."""
    rng = np.random.default_rng(4)
    a, b, other = numbers(rng, 9, 12), numbers(rng, 12, 10), numbers(rng, 9, 10)
    adding = Addition(other, 1.0, 1.0, 1.0)
    plain = engine.matmul(a, b, scale=0.01)
    found = engine.matmul(a, b, scale=0.01, add=adding)
    assert np.array_equal(found, np.clip(plain.astype(int) + other, -128, 127))


@pytest.mark.parametrize("pool", [False, True])
def test_convolutions(engine: Accelerator, pool: bool) -> None:
    """Fill is sent; pooled results are fewer than the rows of C."""
    rng = np.random.default_rng(5)
    x, w = numbers(rng, 2, 6, 8, 3), numbers(rng, 3, 3, 3, 5)
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    sums = sum(padded[:, dy : dy + 6, dx : dx + 8] @ w[dy, dx] for dy in range(3) for dx in range(3))
    found = engine.conv2d(x, w, padding=1, scale=0.001, pool=pool)
    expected = requantise(sums, *fixed_point(0.001), 0, RESULT)
    if pool:
        expected = expected.reshape(2, 3, 2, 4, 2, 5).max(axis=(2, 4))
    assert np.array_equal(found, expected)


def test_products_that_read_what_others_of_the_program_have_stored() -> None:
    """The DMA reads ahead, but not before the results are in memory that it has to send."""
    rng = np.random.default_rng(6)
    with stream_engine().session(memory_bytes=1 << 16) as session:
        x, *weights = (numbers(rng, 6, 6) for _ in range(4))
        for number, codes in enumerate((x, *weights)):
            session.load(0x100 * number, codes.astype(np.int8))
        views = [Matrix(0x100 * number, 6, 6, 1) for number in range(7)]
        finish = Finish(*fixed_point(0.01), 0, -128, 127)
        steps = [Product(views[0 if n == 0 else 3 + n], views[1 + n], views[4 + n], finish=finish) for n in range(3)]
        tiling = Tiling("ws", "mn", 4, 6, 6)
        program = encode(joined([Part(gemm_program(step, tiling, CONFIG), True) for step in steps])).ravel()
        assert [load.after for load in packets(program, CONFIG).loads] != [0] * len(packets(program, CONFIG).loads)
        bench = transport(session, CONFIG, AxiMemory(latency=60))
        EngineLink(bench, CONFIG, watchdog=10_000).run(0x8000, program)
        expected = x
        for number, weight in enumerate(weights):
            expected = requantise(expected @ weight, *fixed_point(0.01), 0, RESULT)
            found = session.memory[0x400 + 0x100 * number :][:36].view(np.int8).reshape(6, 6)
            assert np.array_equal(found, expected), f"product {number}"
