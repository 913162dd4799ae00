"""utilisation of a 16x16 int8 engine behind a 128-bit port, memory 60 cycles away: cubes, the layers of ResNet-50"""

from __future__ import annotations

import statistics
import sys

from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.engines import NARROW, Shape, layers
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.engine_products import Timed, measure, name

# M, N, K; whether results are finished; least utilisation
CUBES = (
    ((512, 512, 512), True, 99.0),
    ((256, 256, 256), True, 97.0),
    ((512, 512, 512), False, None),
    ((256, 256, 256), False, None),
)
MEDIAN = 90.0
BUFFERS = 65_536
SUITE = "ResNet-50"


def timed(shape: Shape, *, finished: bool = True) -> Timed:
    """Runs a product and says how it went."""
    run = measure(NARROW, shape, finished=finished)
    print(
        f"{name(shape)} {'int8' if finished else 'int32'}: {run.utilisation:.2f} %, {run.cycles:,} cycles", flush=True
    )
    return run


def figures_of(of: str, run: Timed, least: float | None = None) -> list[Figure]:
    """Cycles measured and predicted, and what they make of the array."""
    return [
        Figure(of, "measured", run.cycles, "cycles"),
        Figure(of, "planned", run.plan.cycles, "cycles"),
        Figure(of, "utilisation", round(run.utilisation, 2), "%", least=least),
    ]


def main() -> int:
    """Cubes, every shape of the network that the array bounds, and those that the port bounds."""
    config = NARROW
    figures = [Figure("on-chip buffers", "size", config.memory_bytes, "bytes", most=BUFFERS)]
    for shape, finished, least in CUBES:
        of = f"{name(shape)}, {'int8' if finished else 'int32'} results"
        figures += figures_of(of, timed(shape, finished=finished), least)
    found, others = [], []
    for layer in layers(SUITE):
        run = timed(layer.shape)
        if layer.compute_bound(config):
            found += [run.utilisation] * len(layer.names)
            figures += figures_of(str(layer), run)
        else:
            others += figures_of(f"{layer}, bound by the port", run)
    figures.append(Figure(f"median of {len(found)} layers", "utilisation", statistics.median(found), "%", least=MEDIAN))
    title = "16x16 int8 engine, 128-bit port, memory latency 60 with jitter 8: M N K / (256 cycles), start to interrupt"
    return record("engine", title, figures + others)


if __name__ == "__main__":
    sys.exit(main())
