"""The products of a decoder layer of Llama 3.1 8B on one engine, all weights in its memory at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.plan import Plan, make_plan
from tilewright.sim_tests.benchmarks.engines import Shape
from tilewright.sim_tests.drivers.engine_products import PROGRAM_BYTES, Bench, Timed, end, place, size

HIDDEN, KEYS, INNER = 4096, 1024, 14336
NAMES = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def shapes(tokens: int, slice_of: int = 1) -> dict[str, Shape]:
    """M, N, K of the products, both dimensions of every weight matrix divided by ``slice_of``."""
    hidden, keys, inner = (extent // slice_of for extent in (HIDDEN, KEYS, INNER))
    outputs = (hidden, keys, keys, hidden, inner, inner, hidden)
    inputs = (hidden, hidden, hidden, hidden, hidden, hidden, inner)
    return {name: (tokens, n, k) for name, n, k in zip(NAMES, outputs, inputs, strict=True)}


def run_layer(config: EngineConfig, wanted: dict[str, Shape], *, seed: int = 1) -> Iterator[tuple[str, Timed]]:
    """Runs one product after the other and compares every result.

    Attention itself, norms and activations are not the engine's: each product has random activations.
    """
    rng = np.random.default_rng(seed)
    plans: dict[Shape, Plan] = {}
    total = sum(size(config, *shape) - PROGRAM_BYTES for shape in wanted.values()) + PROGRAM_BYTES
    with Bench(config, total, seed=seed) as bench:
        placed, address = {}, PROGRAM_BYTES
        for name, shape in wanted.items():
            placed[name] = place(config, bench.memory, shape, rng, address=address)
            address = end(placed[name])
        for name, shape in wanted.items():
            if shape not in plans:
                plans[shape] = make_plan(placed[name].product, config)
            yield name, bench.run(placed[name], plans[shape])
