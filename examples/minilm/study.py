"""Sentences through the encoder on an engine and in floats, and how near the two come."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minilm.encoder import Encoder, FloatProducts
from minilm.engine_products import EngineProducts, Measured
from minilm.timed_transport import TimedTransport
from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.config.engine import EngineConfig
from tilewright.sim_tests.simulate.engine_transport import simulated_engine

Array = NDArray[Any]


@dataclass(frozen=True)
class Study:
    """What was found.

    Attributes:
        config: the engine.
        in_floats, on_engine: unit vectors, a row for each sentence.
        measured: all runs, in their order.
        seconds: of wall time by what they were spent on.
    """

    config: EngineConfig
    in_floats: Array
    on_engine: Array
    measured: tuple[Measured, ...]
    seconds: dict[str, float]

    @property
    def cosines(self) -> Array:
        """Cosine of the angle between each sentence's two vectors."""
        found: Array = np.sum(self.in_floats * self.on_engine, axis=1)
        return found

    @property
    def same_ranking(self) -> bool:
        """Whether the others are as near to each sentence, from the nearest to the farthest, as they are in floats."""
        return np.array_equal(ranking(self.in_floats), ranking(self.on_engine))

    @property
    def cycles_per_second(self) -> float:
        """Clock cycles that the simulation makes in a second."""
        simulated = sum(run.simulated for run in self.measured)
        return sum(run.cycles for run in self.measured) / simulated if simulated else 0.0

    def utilisation(self, runs: Sequence[Measured]) -> float:
        """Share of the array's multiply-accumulates that ``runs`` needed, from start bit to interrupt."""
        each = self.config.rows * self.config.cols * self.config.vector
        return sum(run.macs for run in runs) / (each * sum(run.cycles for run in runs))


def runs_of(encoder: Encoder, sentences: Sequence[Sequence[int]]) -> int:
    """Runs that a study makes: six linear layers, and two products of every sentence, in each layer."""
    return encoder.layers * (6 + 2 * len(sentences))


def study(
    config: EngineConfig,
    encoder: Encoder,
    sentences: Sequence[Sequence[int]],
    tell: Callable[[Measured], None] | None = None,
    *,
    memory_bytes: int = 1 << 28,
) -> Study:
    """Encodes ``sentences``, numbers of tokens, twice. ``tell`` is called after each run of the engine."""
    in_floats = encoder.encode(sentences, FloatProducts())
    begun = time.monotonic()
    transport = TimedTransport(simulated_engine(config, memory_bytes=memory_bytes))
    built = time.monotonic() - begun
    with Accelerator(transport, config) as accelerator:
        products = EngineProducts(accelerator, lambda: transport.seconds, tell)
        begun = time.monotonic()
        on_engine = encoder.encode(sentences, products)
        total = time.monotonic() - begun
    measured = tuple(products.measured)
    host = {
        planned: sum(r.seconds - r.simulated for r in measured if r.planned == planned) for planned in (True, False)
    }
    simulated = sum(run.simulated for run in measured)
    seconds = {
        "build": built,
        "plans and programs, new shapes": host[True],
        "programs, shapes seen before": host[False],
        "simulation": simulated,
        "reference": products.reference_seconds,
        "numpy": total - sum(host.values()) - simulated - products.reference_seconds,
    }
    return Study(config, in_floats, on_engine, measured, seconds)


def ranking(vectors: Array) -> NDArray[np.int64]:
    """For each row the numbers of the others, the one of the smallest angle first."""
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -np.inf)
    return np.argsort(-likeness, axis=1, kind="stable")[:, :-1]
