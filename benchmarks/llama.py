"""a decoder layer of Llama 3.1 8B at its true size on a 16x16 int8 engine, 218 million weights from memory"""

from __future__ import annotations

import sys
import time

from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.engines import NARROW
from tilewright.sim_tests.benchmarks.llama_layer import run_layer, shapes
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.engine_products import Timed, name

TOKENS = (1, 16)
LEAST = 95.0
SECONDS = 2400


def figures_of(of: str, runs: list[Timed], least: float | None = None) -> list[Figure]:
    """Bytes and cycles of products, one after the other."""
    moved, cycles = sum(run.moved for run in runs), sum(run.cycles for run in runs)
    bus_bytes = NARROW.bus_bits // 8
    macs = sum(run.product.m * run.product.n * run.product.k for run in runs)
    return [
        Figure(of, "bytes", moved, ""),
        Figure(of, "measured", cycles, "cycles"),
        Figure(of, "bytes a cycle", round(moved / cycles, 2), ""),
        Figure(of, "of the port's peak", round(100 * moved / (cycles * bus_bytes), 2), "%", least=least),
        Figure(of, "utilisation", round(100 * macs / (NARROW.rows * NARROW.cols * cycles), 2), "%"),
    ]


def main() -> int:
    """One token, and 16 together; every result is compared."""
    figures, started = [], time.monotonic()
    for tokens in TOKENS:
        wanted, runs = shapes(tokens), list[Timed]()
        kind = "1 token" if tokens == 1 else f"{tokens} tokens"
        print(f"{kind}: filling the memory with {sum(n * k for _, n, k in wanted.values()):,} weights", flush=True)
        for layer, run in run_layer(NARROW, wanted):
            of = f"{kind}, {layer} {name(wanted[layer])}"
            seconds = time.monotonic() - started
            print(f"{of}: {run.cycles:,} cycles, {run.port_share:.2f} % of the port, after {seconds:.0f} s", flush=True)
            figures += figures_of(of, [run])
            runs.append(run)
        figures += figures_of(f"{kind}, the layer", runs, LEAST if tokens == 1 else None)
    figures.append(Figure("all of it", "wall time", round(time.monotonic() - started), "s", most=SECONDS))
    title = "A decoder layer of Llama 3.1 8B: 16x16 int8 engine, 128-bit port, memory latency 60 with jitter 8"
    return record("llama", title, figures)


if __name__ == "__main__":
    sys.exit(main())
