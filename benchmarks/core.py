"""cycles of one 16x16 int8 core for shapes large, small and ragged, in every dataflow"""

from __future__ import annotations

import sys

import numpy as np

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.report.figures import Figure
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.harness import Build
from tilewright.sim_tests.system.designs import Design

DATAFLOWS = ("ws", "os", "is")
# M, N, K; dataflow; most cycles
POINTS = (
    *(((256, 256, 256), dataflow, 65_600) for dataflow in DATAFLOWS),
    *(((64, 64, 64), dataflow, 1_088) for dataflow in DATAFLOWS),
    ((100, 37, 53), "auto", 1_100),
)


def core(rows: int = 16, cols: int = 16, largest: int = 256) -> Design:
    """An int8 core of all dataflows whose scratchpads hold ``largest`` cubed."""
    fields = {"module_name": "bench_core", "rows": rows, "cols": cols, "dataflow": "any"}
    extents = {"max_m": largest, "max_n": largest, "max_k": largest}
    return Design("bench_core", systolic_config(fields | extents))


def measured(design: Design, build: Build, shape: tuple[int, int, int], dataflow: str) -> int:
    """Cycles of one command, operands in the scratchpads; its C is compared. SimulationFailed where it is wrong."""
    m, n, k = shape
    rng = np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n))
    session = CoreSession(design.parameters)
    loads = [session.load("load_a", a), session.load("load_b", b)]
    command = session.command(m, n, k, DATAFLOWS.index(dataflow), after=loads)
    session.read(m, n, after=[command])
    result = session.run(build)
    if result.answer(command)[0] != Status.OK or not np.array_equal(result.matrices[0], a @ b):
        raise result.run.failure(f"{shape} in {dataflow} computed a wrong C")
    return result.offered(command) - result.taken(command)


def main() -> int:
    """Measures all points on one build."""
    design = core()
    build, model = design.build(), cycle_model(design.config, "any")
    figures = []
    for shape, wanted, most in POINTS:
        dataflow = model.best(*shape) if wanted == "auto" else wanted
        cycles = measured(design, build, shape, dataflow)
        of = f"{' x '.join(map(str, shape))} {wanted}" + (f" ({dataflow})" if wanted == "auto" else "")
        figures.append(Figure(of, "measured", cycles, "cycles", most=most))
        figures.append(Figure(of, "model", model.cycles(*shape, dataflow), "cycles"))
        utilisation = np.prod(shape) / (cycles * design.config.rows * design.config.cols)
        figures.append(Figure(of, "utilisation", round(100 * float(utilisation), 1), "%"))
    return record("core", "16x16 int8 core, from the edge that takes a command to its completion", figures)


if __name__ == "__main__":
    sys.exit(main())
