"""The engines and the workloads of the benches."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.generators.config.engine import EngineConfig
from tilewright.sim_tests.benchmarks.record import ROOT

Shape = tuple[int, int, int]

NARROW = EngineConfig(a_words=1008, b_words=1008, c_words=260)
"""16x16 int8 with int8 results, a 128-bit port, 64 KiB of buffers."""
WIDE = EngineConfig(cols=64, bus_bits=512, a_words=1024, b_words=1024, c_words=256)
"""16x64 int8 with int8 results, a 512-bit port."""
SHAPES = ROOT / "benchmarks" / "data" / "gemm-shapes.csv"
CUT = 512
"""Rows of A that are enough to measure: longer products do the same over and over."""


@dataclass(frozen=True)
class Layer:
    """Products of one shape in a network: M, N, K; the layers that are one; M before it was cut."""

    names: tuple[str, ...]
    shape: Shape
    whole_m: int

    def __str__(self) -> str:
        m, n, k = self.shape
        more = f" and {len(self.names) - 1} more" if len(self.names) > 1 else ""
        cut = f" of {self.whole_m:,}" if m != self.whole_m else ""
        return f"{self.names[0]}{more}: {m}{cut} x {n} x {k}"

    def compute_bound(self, config: EngineConfig) -> bool:
        """Whether the array takes longer than the port with what has to be read at least."""
        m, n, k = self.shape
        bus_bytes = config.bus_bits // 8
        return m * n * k // (config.rows * config.cols * config.vector) >= (m * k + k * n) // bus_bytes


def layers(suite: str, cut: int | None = CUT) -> list[Layer]:
    """The layers of a suite of the list, equal ones together, in its order."""
    found: dict[tuple[int, Shape], list[str]] = {}
    for name, (m, n, k) in _rows(suite):
        found.setdefault((m, (m if cut is None else min(m, cut), n, k)), []).append(name)
    return [Layer(tuple(names), shape, m) for (m, shape), names in found.items()]


def _rows(suite: str) -> Iterator[tuple[str, Shape]]:
    with SHAPES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["suite"] == suite:
                yield row["layer"], (int(row["M"]), int(row["N"]), int(row["K"]))
