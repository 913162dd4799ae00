"""Random behaviour of the memory behind an engine."""

from __future__ import annotations

import numpy as np

from tilewright.sim_tests.harness.axi_memory import ORDERS, AxiMemory
from tilewright.sim_tests.harness.stall import Stall

LATENCIES = (1, 2, 3, 7, 20, 60, 200)
PAUSE = (1000, 5000)  # cycles of a long one


def random_memory(rng: np.random.Generator) -> AxiMemory:
    """Latency 1..200 with jitter, few or many bursts at once, any order of AW and W, stalls, long pauses."""
    latency, write_latency = (int(cycles) for cycles in rng.choice(LATENCIES, 2))
    jitter, write_jitter = (int(rng.choice((0, 0, 3, cycles // 2 + 1))) for cycles in (latency, write_latency))
    return AxiMemory(
        latency=latency,
        jitter=jitter,
        write_latency=write_latency,
        write_jitter=write_jitter,
        outstanding=int(rng.choice((1, 2, 5, 16, 64))),
        order=str(rng.choice(ORDERS)),
        stalls={channel: _stall(rng, channel) for channel in ("ar", "r", "aw", "w", "b")},
        seed=int(rng.integers(1 << 31)),
    )


def _stall(rng: np.random.Generator, channel: str) -> Stall:
    kind = rng.choice(("none", "rare", "often", "bursts", "pauses"), p=(0.4, 0.2, 0.2, 0.15, 0.05))
    probability = {"rare": 0.1, "often": 0.7}.get(str(kind), 0.0)
    burst = {"bursts": 0.02, "pauses": 0.002}.get(str(kind), 0.0)
    length = PAUSE if kind == "pauses" else (8, 64)
    shy = channel in ("ar", "aw", "w") and bool(rng.random() < 0.2)
    return Stall(probability, burst, length, wait_for_valid=shy, seed=int(rng.integers(1 << 30)))
