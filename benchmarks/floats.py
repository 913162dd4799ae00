"""cores of floats against exact arithmetic: random products, the same bits in every dataflow"""

from __future__ import annotations

import random
import sys

import numpy as np
from rich.console import Console

from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.float_cores import FORMATS, WINDOWED, cores, windowed_cores
from tilewright.sim_tests.benchmarks.float_judge import Count, compare, compare_windows
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.harness.build_many import build_many

SHAPES = 200  # of each pair of formats
WINDOW_SHAPES = 40  # for each point


def figures(name: str, count: Count, shapes: int) -> list[Figure]:
    """What became of the shapes of one pair of formats."""
    return [
        Figure(name, "shapes", count.shapes, "", least=shapes),
        Figure(name, "with specials", 100 * count.special / count.shapes, "%", least=20),
        Figure(name, "with K in several commands", count.cut, ""),
        Figure(name, "results compared", count.results, ""),
        Figure(name, "mismatches", count.mismatches, "", most=0),
        Figure(name, "identical in all runs", count.identical, "shapes", least=shapes),
        Figure(name, "runs of a shape", count.runs, ""),
        Figure(name, "results by rationals", count.rational, ""),
        Figure(name, "of them different", count.oracle_mismatches, "", most=0),
    ]


def main() -> int:
    """All formats, then windows; the seed is printed, and may be given as the only argument."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(1, 1 << 31)
    print(f"seed {seed}")
    floats = {name: cores(name) for name in FORMATS}
    windowed = windowed_cores()
    every = [core for several in floats.values() for core in several] + windowed
    builds = dict(zip(every, build_many([c.spec() for c in every], console=Console(stderr=True)), strict=True))
    found: list[Figure] = []
    for name, several in floats.items():
        rng = np.random.default_rng([seed, *name.encode()])
        count = compare(FORMATS[name], {core: builds[core] for core in several}, SHAPES, rng)
        print(f"{name}: {count}", flush=True)
        found += figures(name, count, SHAPES)
    for name, point in WINDOWED.items():
        rng = np.random.default_rng([seed, *name.encode()])
        count = compare_windows({core: builds[core] for core in windowed}, point, WINDOW_SHAPES, rng)
        print(f"{name}: {count}", flush=True)
        found += figures(name, count, WINDOW_SHAPES)
        lost = {"exact": {"most": 0}, "rounded": {"least": 1}}[name.rpartition(" ")[2]]
        found.append(Figure(name, "with underflow", count.underflows, "results", **lost))
        found.append(Figure(name, "with overflow", count.overflows, "results", most=0))
    return record("floats", f"Cores of floats against exact arithmetic, seed {seed}", found)


if __name__ == "__main__":
    sys.exit(main())
