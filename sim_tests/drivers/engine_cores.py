"""Products on an engine of several cores in simulation, dealt in a way of one's own, and what they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilewright.fpga.host.engine_link import EngineLink
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.interleave import many_program
from tilewright.generators.program.joined import Part
from tilewright.generators.program.pieces import piece_of
from tilewright.generators.program.plan import entries
from tilewright.generators.program.product import Product
from tilewright.generators.program.sharing import Sharer, Sharing
from tilewright.generators.reference.engine_many import ManyCycles
from tilewright.generators.report.waves import dense
from tilewright.generators.report.workload import Layer
from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.simulate.engine_transport import MEMORY, simulated_engine

Way = Callable[[Sharer, Product], Sharing]


@dataclass(frozen=True)
class Dealt:
    """Cycles from start to interrupt, measured and predicted for this memory; cycles in which each array had a
    wavefront."""

    cycles: int
    predicted: int
    active: tuple[int, ...]

    @property
    def share(self) -> float:
        """Part of the cycles in which an array had a wavefront, the mean of all."""
        return sum(self.active) / (len(self.active) * self.cycles)


def planned(sharer: Sharer, product: Product) -> Sharing:
    """As the planner deals it."""
    return sharer.share([product])


def in_blocks(rows: int, cols: int) -> Way:
    """Blocks of one size, in waves."""
    return lambda sharer, product: sharer.deal(product, rows, cols)


def measure_dealt(config: EngineConfig, layer: Layer, way: Way = planned) -> Dealt:
    """The product of random integers. Raises SimulationFailed where one result is wrong."""
    assert isinstance(config.a, IntFormat) and isinstance(config.b, IntFormat)
    product = dense(config, layer)
    sharing = way(Sharer(config), product)
    section = [
        [
            Part(gemm_program(piece_of(product, share.piece), share.plan.tiling, config), after_stores=False)
            for _, share in own
        ]
        for own in sharing.shares
    ]
    program = many_program([section], config)
    rng = np.random.default_rng(1)
    a = rng.integers(config.a.min, config.a.max, (layer.m, layer.k), endpoint=True)
    b = rng.integers(config.b.min, config.b.max, (layer.k, layer.n), endpoint=True)
    at = [view.box(0, 0, 1, 1)["address"] for view in (product.a, product.b, product.c)]
    place = at[2] + -(-layer.m * layer.n * product.c.value_bytes // 64) * 64
    data = encode(program).ravel()
    engine = simulated_engine(config, memory_bytes=-(-(place + len(data)) // 4096) * 4096)
    try:
        for address, matrix, view in zip(at, (a, b), (product.a, product.b), strict=False):
            engine.write_memory(address, matrix.astype(f"<i{view.value_bytes}").view(np.uint8).ravel())
        counts = EngineLink(engine, config, watchdog=1_000_000).run(place, data)
        size = layer.m * layer.n * product.c.value_bytes
        found = engine.read_memory(at[2], size).view(f"<i{product.c.value_bytes}").reshape(layer.m, layer.n)
        if not np.array_equal(found, a @ b):
            raise SimulationFailed(f"{layer} has wrong results", reason="wrong results")
    finally:
        engine.close()
    predicted = ManyCycles(config, MEMORY.latency + MEMORY.jitter // 2).cycles(entries(program))
    return Dealt(counts["cycles"], predicted, tuple(own["array_active"] for own in counts.cores))
