"""cycle model of the engine against RTL: random products and tilings on seven engines, memory of a fixed latency"""

from __future__ import annotations

import random
import sys
from itertools import islice

import numpy as np

from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.engine_points import ENGINES, Compared, compared, picture_points, points
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.engine_build import engine_build

POINTS = 504
PICTURES = 140
NEAR = 1.0
"""Percent by which a prediction may miss."""


def run(kind: str, found: list[Compared]) -> list[Figure]:
    """Prints those that are far, and tells of all."""
    missed = [each for each in found if abs(each.percent) > NEAR]
    for each in sorted(missed, key=lambda each: -abs(each.percent)):
        print(f"{kind}: {each}")
    most = max(abs(each.percent) for each in found)
    print(f"{kind}: {len(found)} points, {len(missed)} beyond {NEAR:g} %, worst {most:.2f} %", flush=True)
    return [
        Figure(kind, "points", len(found), ""),
        Figure(kind, "exact", sum(each.measured == each.predicted for each in found), ""),
        Figure(kind, f"beyond {NEAR:g} %", len(missed), ""),
        Figure(kind, "median", round(float(np.median([abs(each.percent) for each in found])), 2), "%"),
        Figure(kind, "worst", round(most, 2), "%"),
    ]


def main() -> int:
    """All engines; the seed is printed, and may be given as the only argument."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(1, 1 << 31)
    print(f"seed {seed}")
    figures: list[Figure] = []
    every: list[Compared] = []
    pictures: list[Compared] = []
    for kind, config in ENGINES.items():
        build, rng = engine_build(config), np.random.default_rng(seed)
        found = [compared(point, build) for point in islice(points(config, rng), POINTS // len(ENGINES))]
        figures += run(kind, found)
        every += found
        pictures += [compared(point, build) for point in islice(picture_points(config, rng), PICTURES // len(ENGINES))]
    far, worst = sum(abs(each.percent) > NEAR for each in every), max(abs(each.percent) for each in every)
    figures += [
        Figure("all", "points", len(every), "", least=500),
        Figure("all", f"beyond {NEAR:g} %", far, "", most=0),
        Figure("all", "worst", round(worst, 2), "%", most=NEAR),
        *run("convolutions, all engines", pictures),
    ]
    return record("engine-cycles", f"Predicted against measured cycles of engines, seed {seed}", figures)


if __name__ == "__main__":
    sys.exit(main())
