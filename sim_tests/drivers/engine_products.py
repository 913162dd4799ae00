"""Products on an engine in simulation: put into its memory, run, timed, and compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tilewright.fpga.host.engine_link import Counts, EngineLink
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.plan import Plan, make_plan
from tilewright.generators.program.product import Finish, Product
from tilewright.generators.program.tensor import Matrix
from tilewright.hdl.numeric import IntFormat, container_bytes, requantise
from tilewright.hdl.numeric.requantise import fixed_point
from tilewright.sim_tests.drivers.engine_build import engine_session
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.simulate.engine_transport import transport

Integers = NDArray[np.int64]

MEMORY = AxiMemory(latency=60, jitter=8, outstanding=64)
"""A memory some 60 cycles away that takes as many requests as an engine makes."""
PAGE = 4096
PROGRAM_BYTES = 1 << 22
WATCHDOG = 100_000
_COLUMNS = 512  # of B that are multiplied at a time: their numbers take eight bytes each on the way


@dataclass(frozen=True)
class Timed:
    """A product that was run: its plan, the cycles from the write of the start bit to the interrupt, the counters."""

    config: EngineConfig
    product: Product
    plan: Plan
    cycles: int
    counts: Counts

    @property
    def utilisation(self) -> float:
        """Multiply-accumulates of the product in those that the array could have made, in percent."""
        c, p = self.config, self.product
        return 100 * p.m * p.n * p.k / (c.rows * c.cols * c.vector * self.cycles)

    @property
    def moved(self) -> int:
        """Bytes of matrices that crossed the bus, in whole beats."""
        return (self.counts["read_beats"] + self.counts["write_beats"]) * self.config.bus_bits // 8

    @property
    def program(self) -> int:
        """Bytes of instructions that were read."""
        return self.counts["fetch_beats"] * self.config.bus_bits // 8

    @property
    def port_share(self) -> float:
        """Bytes of matrices in those that the port could have moved one way, in percent."""
        return 100 * self.moved / (self.cycles * self.config.bus_bits // 8)


@dataclass(frozen=True)
class Placed:
    """A product whose operands lie in a memory, and the results that it must have."""

    product: Product
    expected: Integers


class Bench:
    """An engine, its memory of ``memory_bytes``, and a driver; in a ``with`` block.

    What is put into ``memory`` before the first run is there when a failure is replayed.
    """

    def __init__(self, config: EngineConfig, memory_bytes: int, *, settings: AxiMemory = MEMORY, seed: int = 1) -> None:
        self.config = config
        self._session = engine_session(config, settings, memory_bytes=-(-memory_bytes // PAGE) * PAGE, seed=seed)
        self.memory = self._session.memory
        self._engine = transport(self._session, config, settings)
        self._link: EngineLink | None = None

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *error: object) -> None:
        self._engine.close()

    def run(self, placed: Placed, plan: Plan, address: int = 0) -> Timed:
        """Runs the product from a program at ``address``. SimulationFailed where its result is wrong."""
        if self._link is None:
            self._link = EngineLink(self._engine, self.config, watchdog=WATCHDOG)
        program = encode(gemm_program(placed.product, plan.tiling, self.config)).ravel()
        counts = self._link.run(address, program)
        c = placed.product.c
        assert isinstance(c, Matrix)
        found = self.memory[c.address : c.address + c.rows * c.pitch].view(f"<i{c.value_bytes}")
        if not np.array_equal(found.reshape(c.rows, c.cols), placed.expected):
            p = placed.product
            raise self._session.failure(f"the engine computed a wrong {p.m} x {p.n} x {p.k}")
        return Timed(self.config, placed.product, plan, self._engine.ended - self._engine.started, counts)


def size(config: EngineConfig, m: int, n: int, k: int) -> int:
    """Bytes that a product takes in memory, with its program, at most."""
    return PROGRAM_BYTES + 4 * PAGE + m * k * _bytes(config, "a") + k * n * _bytes(config, "b") + m * n * 8


def end(placed: Placed) -> int:
    """The first page behind a product."""
    c = placed.product.c
    assert isinstance(c, Matrix)
    return -(-(c.address + c.rows * c.pitch) // PAGE) * PAGE


def place(
    config: EngineConfig,
    memory: NDArray[np.uint8],
    shape: tuple[int, int, int],
    rng: np.random.Generator,
    *,
    finished: bool = True,
    address: int = PROGRAM_BYTES,
) -> Placed:
    """Puts random A and B of M, N, K into ``memory`` from ``address`` on, each from the start of a page.

    Integers whose containers they fill; results are scaled so that few of them saturate.
    """
    m, n, k = shape
    assert isinstance(config.a, IntFormat) and isinstance(config.b, IntFormat) and isinstance(config.acc, IntFormat)
    matrices = []
    for rows, cols, fmt in ((m, k, config.a), (k, n, config.b), (m, n, config.result if finished else config.acc)):
        matrices.append(Matrix(address, rows, cols, container_bytes(fmt)))
        address = -(-(address + rows * matrices[-1].pitch) // PAGE) * PAGE
    a, b = (_random(memory, matrix, rng) for matrix in matrices[:2])
    sums = multiply(a, b)
    product = Product(matrices[0], matrices[1], matrices[2])
    if finished:
        assert isinstance(config.result, IntFormat)
        low, high = config.result.min, config.result.max
        spread = np.sqrt(k / 144) * 4.0 ** (4 * (matrices[0].value_bytes + matrices[1].value_bytes))
        multiplier, shift = fixed_point(float(high / 3 / spread))
        product = replace(product, finish=Finish(multiplier, shift, 3, low, high))
        sums = requantise(sums, multiplier, shift, 3, config.result)
    return Placed(product, sums)


def multiply(a: NDArray[np.signedinteger], b: NDArray[np.signedinteger]) -> Integers:
    """``a @ b`` of small integers: sums below 2**53 are exact in floats, which are much faster."""
    left = a.astype(np.float64)
    parts = [left @ b[:, at : at + _COLUMNS].astype(np.float64) for at in range(0, b.shape[1], _COLUMNS)]
    return np.concatenate(parts, axis=1).astype(np.int64)


def measure(
    config: EngineConfig,
    shape: tuple[int, int, int],
    *,
    finished: bool = True,
    settings: AxiMemory = MEMORY,
    plan: Callable[[Product, EngineConfig], Plan] = make_plan,
    seed: int = 1,
) -> Timed:
    """Plans and runs one product on a fresh engine."""
    with Bench(config, size(config, *shape), settings=settings, seed=seed) as bench:
        placed = place(config, bench.memory, shape, np.random.default_rng((seed, *shape)), finished=finished)
        return bench.run(placed, plan(placed.product, config))


def name(shape: Sequence[int]) -> str:
    """M x N x K."""
    return " x ".join(map(str, shape))


def _bytes(config: EngineConfig, operand: str) -> int:
    return container_bytes(getattr(config, operand))


def _random(memory: NDArray[np.uint8], matrix: Matrix, rng: np.random.Generator) -> NDArray[np.signedinteger]:
    """Fills a matrix with random bytes and returns it as numbers; nothing is copied."""
    place = memory[matrix.address : matrix.address + matrix.rows * matrix.pitch]
    place[:] = rng.integers(0, 256, len(place), dtype=np.uint8)
    return place.view(f"<i{matrix.value_bytes}").reshape(matrix.rows, matrix.cols)
