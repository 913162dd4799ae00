"""speed-up of one product on 1, 2 and 4 cores, and what a last wave of tiles that does not fill them costs"""

from __future__ import annotations

import sys

from tilewright.generators.config.engine import engine_config
from tilewright.generators.report.figures import Figure
from tilewright.generators.report.workload import Layer
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.engine_cores import Dealt, in_blocks, measure_dealt, planned

ARRAY = {"module_name": "scale", "rows": 8, "cols": 8, "a_words": 512, "b_words": 512, "c_words": 256}
CORES = (1, 2, 4)
PRODUCT = Layer("product", 128, 128, 256)
TILE = (32, 64)
TILES = Layer("tiles", 5 * TILE[0], TILE[1], 256)
LEAST = {2: 1.8, 4: 3.4}
"""Speed-up, at least."""


def main() -> int:
    """Speed-up, then five tiles on four cores."""
    figures: list[Figure] = []
    cycles: dict[int, int] = {}
    for cores in CORES:
        run = measure_dealt(engine_config(ARRAY | {"cores": cores}), PRODUCT)
        cycles[cores] = run.cycles
        name = (
            f"{PRODUCT.m} x {PRODUCT.n} x {PRODUCT.k} on {cores} cores"
            if cores > 1
            else f"{PRODUCT.m} x {PRODUCT.n} x {PRODUCT.k} on 1 core"
        )
        figures += figures_of(name, run)
        if cores > 1:
            figures.append(Figure(name, "speed-up", round(cycles[1] / run.cycles, 3), "", least=LEAST[cores]))
    four = engine_config(ARRAY | {"cores": CORES[-1]})
    tail = f"{TILES.m} x {TILES.n} x {TILES.k} on {CORES[-1]} cores"
    waves = measure_dealt(four, TILES, in_blocks(*TILE))
    figures += figures_of(f"{tail}, five tiles of {TILE[0]} x {TILE[1]} in two waves", waves)
    best = measure_dealt(four, TILES, planned)
    figures += figures_of(f"{tail}, as planned", best)
    figures.append(Figure(tail, "gain of the planner", round(waves.cycles / best.cycles, 3), "", least=1.4))
    title = "Cycles from start to interrupt, arrays of 8 x 8 int8, ports of 128 bits; memory latency 60 with jitter 8"
    return record("scale", title, figures)


def figures_of(of: str, run: Dealt) -> list[Figure]:
    """Cycles, and how busy the arrays were."""
    print(f"{of}: {run.cycles:,} cycles, arrays active {run.share:.1%}", flush=True)
    return [
        Figure(of, "measured", run.cycles, "cycles"),
        Figure(of, "predicted", run.predicted, "cycles"),
        Figure(of, "arrays active", round(100 * run.share, 2), "%"),
    ]


if __name__ == "__main__":
    sys.exit(main())
