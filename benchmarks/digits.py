"""handwritten digits on a 16x16 int8 engine, through a dense network and a convolutional one"""

from __future__ import annotations

import sys
from typing import Any

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.demo.digits import digits
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.examples.example import module


def figures(name: str, found: Any, accelerator: Accelerator) -> list[Figure]:
    """What became of the network ``name`` (`digits_engine.run.Outcome`)."""
    kept = []
    for run in found.runs:
        of = f"{name}, {run.name}"
        share = 100 * module("digits_engine.run").utilisation(accelerator, run.macs, run.cycles)
        kept += [
            Figure(of, "MACs", run.macs, ""),
            Figure(of, "cycles", run.cycles, ""),
            Figure(of, "utilisation", round(share, 1), "%"),
        ]
    for which, right in found.right.items():
        share = round(100 * right / found.images, 1)
        kept.append(Figure(f"{name}: % of digits read right, {which}", "number", share, ""))
    kept.append(Figure(f"{name}: results compared", "number", found.compared, ""))
    kept.append(Figure(f"{name}: results that differ from the reference", "number", found.differing, "", most=0))
    return kept


def main() -> int:
    """Both networks on all test images."""
    example = module("digits_engine.run")
    training, test = digits()
    kept = []
    with Accelerator.simulate(example.CONFIG) as accelerator:
        for name, make in example.NETWORKS.items():
            kept += figures(name, example.run(accelerator, make(), training, test), accelerator)
    title = f"{len(test)} images of handwritten digits on a 16x16 int8 engine, 128-bit port, memory latency 60"
    return record("digits", title, kept)


if __name__ == "__main__":
    sys.exit(main())
