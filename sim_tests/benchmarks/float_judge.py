"""Runs the same products of floats on several cores, in all that can change without a change of the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tilewright.generators.reference.core import DATAFLOWS
from tilewright.sim_tests.benchmarks.float_cores import DEEPEST, WIDEST
from tilewright.sim_tests.harness import Build
from tilewright.sim_tests.system.designs import Design
from tilewright.sim_tests.system.float_cases import (
    SPECIAL,
    WINDOW,
    Codes,
    pieces,
    random_case,
    random_cuts,
    turned,
    window_case,
)
from tilewright.sim_tests.system.float_oracle import OVERFLOW, UNDERFLOW, window_product
from tilewright.sim_tests.system.float_rationals import rational_chain, rational_window
from tilewright.sim_tests.system.float_runs import Tiling, run_cases

SAMPLES = 3  # results of a shape that rational numbers confirm


@dataclass
class Count:
    """What was compared.

    Attributes:
        shapes: products; ``special`` of them with NaN, infinities, subnormal numbers, -0, or products beyond fp32;
            ``cut`` of them with K in several commands.
        runs: of each product.
        results: values of C, over all runs; ``mismatches`` of them differ from the oracle.
        identical: products whose runs all gave the same bits.
        rational: results of the oracle that rational numbers were held against; ``oracle_mismatches`` differ.
        underflows, overflows: results (of windows) with the flag.
    """

    shapes: int = 0
    special: int = 0
    cut: int = 0
    runs: int = 0
    results: int = 0
    mismatches: int = 0
    identical: int = 0
    rational: int = 0
    oracle_mismatches: int = 0
    underflows: int = 0
    overflows: int = 0

    def judge(self, what: str, wanted: list[Codes], runs: Mapping[str, list[Codes]]) -> None:
        """Compares ``runs`` of the same cases with ``wanted`` and with each other; differences are printed."""
        self.shapes += len(wanted)
        self.runs = len(runs)
        for index, expected in enumerate(wanted):
            several = {name: matrices[index] for name, matrices in runs.items()}
            first = next(iter(several.values()))
            self.identical += all(np.array_equal(first, matrix) for matrix in several.values())
            for name, matrix in several.items():
                self.results += matrix.size
                different = np.argwhere(matrix != expected)
                self.mismatches += len(different)
                if len(different):
                    row, col = different[0]
                    where = f"{what}, product {index} on {name}: {len(different)} of {matrix.size} differ"
                    print(f"{where}, C[{row}, {col}]: expected {expected[row, col]:#x}, got {matrix[row, col]:#x}")


def compare(
    formats: tuple[str, str],
    builds: Mapping[Design, Build],
    shapes: int,
    rng: np.random.Generator,
    *,
    unit: int = 8,
    widest: int = WIDEST,
    deepest: int = DEEPEST,
) -> Count:
    """``shapes`` random products on every core, in every dataflow that it has. The cores share ``vector``."""
    count = Count()
    cases = [random_case(rng, formats, unit, widest, deepest, bool(rng.random() < SPECIAL)) for _ in range(shapes)]
    count.special, count.cut = sum(case.is_special() for case in cases), sum(case.cuts != () for case in cases)
    (vector,) = {core.config.vector for core in builds}
    wanted = [case.expected(vector) for case in cases]
    for case, expected in zip(cases, wanted, strict=True):
        for _ in range(SAMPLES):
            row, col = int(rng.integers(case.shape[0])), int(rng.integers(case.shape[1]))
            total = int(np.broadcast_to(case.start, case.shape[:2])[row, col])
            for low, high in pieces(case.shape[2], case.cuts):
                total = rational_chain(formats, case.a[row, low:high], case.b[low:high, col], total, vector)
            count.rational += 1
            count.oracle_mismatches += total != int(expected[row, col])
    runs = {
        f"{core.name} {flow}": run_cases(core, build, cases, flow)
        for core, build in builds.items()
        for flow in DATAFLOWS[core.config.dataflow]
    }
    count.judge(" x ".join(formats), wanted, runs)
    return count


def compare_windows(builds: Mapping[Design, Build], point: int, shapes: int, rng: np.random.Generator) -> Count:
    """Random products in windows: on every core, in every dataflow, each time in another order and other tiles.

    The order is that of K; the tiles are the commands into which M, N and K are cut.
    """
    count = Count()
    cases = [window_case(rng, point, 8, WIDEST, DEEPEST) for _ in range(shapes)]
    # What windows start from are no codes of fp32.
    count.special = sum(replace(case, start=np.zeros((1, 1), dtype=np.int64)).is_special() for case in cases)
    wanted = []
    for case in cases:
        expected = window_product(case.formats, case.a, case.b, case.start, WINDOW, point)
        wanted.append(expected)
        for _ in range(SAMPLES):
            row, col = int(rng.integers(case.shape[0])), int(rng.integers(case.shape[1]))
            begin = int(np.broadcast_to(case.start, case.shape[:2])[row, col])
            exact = rational_window(case.formats, case.a[row], case.b[:, col], begin, WINDOW, point)
            count.rational += 1
            count.oracle_mismatches += exact != int(expected[row, col])
        count.underflows += int(np.count_nonzero(expected >> (WINDOW + UNDERFLOW) & 1))
        count.overflows += int(np.count_nonzero(expected >> (WINDOW + OVERFLOW) & 1))
    runs, cut = {}, set()
    for core, build in builds.items():
        for flow in DATAFLOWS[core.config.dataflow]:
            others = [turned(rng, case) for case in cases]
            cut |= {index for index, case in enumerate(others) if case.cuts}
            tilings = [Tiling(*(random_cuts(rng, extent, 2) for extent in case.shape[:2])) for case in cases]
            runs[f"{core.name} {flow}"] = run_cases(core, build, others, flow, tilings=tilings, point=point)
    count.cut = len(cut)
    count.judge(f"point {point}", wanted, runs)
    return count
