"""Engines and random products with which the engine's cycle model is held against RTL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tilewright.fpga.host.engine_link import EngineLink
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.candidates import candidates
from tilewright.generators.program.convolution import Convolution
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.plan import entries, make_plan
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.reference.engine_cycles import EngineCycles
from tilewright.hdl.numeric import BF16, FP32, IntFormat, code_format
from tilewright.sim_tests.benchmarks.engines import NARROW
from tilewright.sim_tests.drivers.engine_products import PAGE, WATCHDOG
from tilewright.sim_tests.generators.program.picture_problems import picture_problem
from tilewright.sim_tests.generators.program.problems import Problem, problem, take
from tilewright.sim_tests.harness import Build
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.simulate.engine_transport import SimulatedEngine

ENGINES = {
    "ws 4x4 int8, 128 bits": EngineConfig(rows=4, cols=4, a_words=512, b_words=512, c_words=256),
    "os 3x5 int8, 32 bits": EngineConfig(
        rows=3, cols=5, dataflow="os", a_words=400, b_words=300, c_words=200, bus_bits=32, outstanding=4
    ),
    "is 5x3 vector 2 int8, 256 bits": EngineConfig(
        rows=5, cols=3, dataflow="is", vector=2, a_words=400, b_words=300, c_words=200, bus_bits=256, max_burst=16
    ),
    "any 8x8 int8, 64 bits": EngineConfig(
        rows=8, cols=8, dataflow="any", a_words=512, b_words=512, c_words=256, bus_bits=64, outstanding=16
    ),
    "ws 4x4 bf16, 128 bits": EngineConfig(
        rows=4, cols=4, a=BF16, b=BF16, acc=FP32, a_words=300, b_words=300, c_words=200, outstanding=8
    ),
    "os 4x6 int4 by uint12, 512 bits": EngineConfig(
        rows=4, cols=6, dataflow="os", a=IntFormat(4), b=IntFormat(12, False), acc=IntFormat(24), result=IntFormat(6),
        overflow="saturate", a_words=300, b_words=300, c_words=200, bus_bits=512, max_burst=8,
    ),
    "ws 16x16 int8, 128 bits": NARROW,
}  # fmt: skip
LATENCIES = (20, 60, 100)


@dataclass(frozen=True)
class Point:
    """A product with its tiling, on a memory that always takes ``latency`` cycles."""

    found: Problem
    tiling: Tiling
    latency: int

    def __str__(self) -> str:
        p = self.found.product
        start = "old C" if p.accumulate else "bias" if p.has_bias else "zero"
        form = "raw" if p.finish is None else "finished"
        of = f" of {p.a}" if isinstance(p.a, Convolution) else ""
        return f"{p.m} x {p.n} x {p.k}{of} from {start}, {form}, latency {self.latency}, {self.tiling}"

    def program(self) -> list[Instruction]:
        """Its instructions."""
        return gemm_program(self.found.product, self.tiling, self.found.config)

    def predicted(self) -> int:
        """Cycles by the model."""
        return EngineCycles(self.found.config, self.latency).cycles(entries(self.program()))

    def measured(self, build: Build) -> int:
        """Cycles on RTL, by the build of the engine; SimulationFailed where the result is wrong."""
        config, program = self.found.config, encode(self.program()).ravel()
        place = -(-len(self.found.memory) // PAGE) * PAGE
        total = -(-(place + len(program)) // PAGE) * PAGE
        settings = AxiMemory(latency=self.latency, outstanding=64)
        with AxiSession(build, memory_bytes=total, settings=settings) as session:
            session.memory[: len(self.found.memory)] = self.found.memory
            engine = SimulatedEngine(session)
            EngineLink(engine, config, watchdog=WATCHDOG).run(place, program)
            c = self.found.product.c
            fmt = config.acc if self.found.product.finish is None else config.result
            assert fmt is not None
            # A code is stored with zeros above it.
            kept = (1 << code_format(fmt).width) - 1
            if np.any((take(session.memory, c, fmt) ^ self.found.expected) & kept):
                raise session.failure(f"the engine computed a wrong C: {self}")
        return engine.ended - engine.started


@dataclass(frozen=True)
class Compared:
    """A point with its cycles, and by how much the model misses them."""

    point: Point
    measured: int
    predicted: int

    @property
    def percent(self) -> float:
        """Of the measured cycles; positive where the model has more."""
        return 100 * (self.predicted - self.measured) / self.measured

    def __str__(self) -> str:
        return f"{self.percent:+.2f} %, measured {self.measured}, predicted {self.predicted}: {self.point}"


def compared(point: Point, build: Build) -> Compared:
    """Runs a point."""
    return Compared(point, point.measured(build), point.predicted())


def points(config: EngineConfig, rng: np.random.Generator) -> Iterator[Point]:
    """Points without end: a third are planned, the others have any of the tilings that the planner looks at."""
    while True:
        m, n, k = (_extent(config, rng) for _ in range(3))
        start = str(rng.choice(("zero", "zero", "bias", "old")))
        finish = isinstance(config.acc, IntFormat) and bool(rng.random() < 0.6)
        found = problem(config, m, n, k, start=start, finish=finish, seed=int(rng.integers(1 << 30)))  # type: ignore[arg-type]
        yield from _tiled(found, rng)


def picture_points(config: EngineConfig, rng: np.random.Generator) -> Iterator[Point]:
    """The same of convolutions."""
    while True:
        finish = isinstance(config.acc, IntFormat) and bool(rng.random() < 0.6)
        yield from _tiled(picture_problem(config, rng, finish=finish), rng)


def _tiled(found: Problem, rng: np.random.Generator) -> Iterator[Point]:
    """A point of a problem, if there is a tiling."""
    latency = int(rng.choice(LATENCIES))
    known = list(candidates(found.product, found.config))
    if not known:
        return
    planned = rng.random() < 1 / 3
    yield Point(
        found,
        make_plan(found.product, found.config, latency).tiling if planned else known[int(rng.integers(len(known)))],
        latency,
    )


def _extent(config: EngineConfig, rng: np.random.Generator) -> int:
    """Around multiples of the array's size, primes, small ones, and some that are longer."""
    unit = int(rng.choice((config.rows, config.cols)))
    kind = rng.integers(4)
    if kind == 0:
        return max(1, int(rng.integers(1, 9)) * unit + int(rng.integers(-1, 2)))
    if kind == 1:
        return int(rng.choice((1, 2, 3, 5, 7, 13, 29, 61)))
    return int(rng.integers(1, (10 if kind == 2 else 30) * config.rows))
