"""share of the memory port's peak that products of one row reach: projections of Llama 3.1 8B, 128 and 512 bits"""

from __future__ import annotations

import sys

from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.engines import NARROW, WIDE, Layer, layers
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.engine_products import Timed, measure

ENGINES = {"16x16, 128 bits": NARROW, "16x64, 512 bits": WIDE}
LEAST = 95.0
SUITE = "Llama-3.1-8B"
LARGEST = 60_000_000
"""Bytes of B: the head of the network, 525 MB, does nothing that the other layers do not do."""


def rows_of_one() -> list[Layer]:
    """The layers of a single token."""
    return [layer for layer in layers(SUITE) if layer.shape[0] == 1 and layer.shape[1] * layer.shape[2] < LARGEST]


def figures_of(of: str, run: Timed) -> list[Figure]:
    """Bytes moved over the bytes that the port could have moved in the time."""
    return [
        Figure(of, "bytes", run.moved, ""),
        Figure(of, "measured", run.cycles, "cycles"),
        Figure(of, "planned", run.plan.cycles, "cycles"),
        Figure(of, "of the port's peak", round(run.port_share, 2), "%", least=LEAST),
    ]


def main() -> int:
    """Every layer on both engines."""
    figures = []
    for kind, config in ENGINES.items():
        for layer in rows_of_one():
            run = measure(config, layer.shape)
            of = f"{kind}: {layer}"
            print(f"{of}: {run.port_share:.2f} %, {run.cycles:,} cycles", flush=True)
            figures += figures_of(of, run)
    title = "Bytes of matrices / (cycles x bytes of the bus), start to interrupt; memory latency 60 with jitter 8"
    return record("bandwidth", title, figures)


if __name__ == "__main__":
    sys.exit(main())
