"""seconds to build a simulator of the core, and cycles per second of a 256 x 256 x 256 product on it"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.report.figures import Figure
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.harness import Build, Limits, make
from tilewright.sim_tests.system.designs import Design

SIZES = (4, 8, 16, 32)
RUNS = 3
EXTENT = 256
# Most seconds of a build, least cycles a second
BUILD_GOALS = {16: 15, 32: 60}
SPEED_GOALS = {32: 5_000}


@dataclass(frozen=True)
class Times:
    """Wall and processor seconds; the processors of all child processes together."""

    wall: float
    processor: float


def main() -> int:
    """int8 cores of all dataflows; the median of three of everything."""
    figures = []
    for size in SIZES:
        fields = {"module_name": "speed_core", "rows": size, "cols": size, "dataflow": "any"}
        core = Design("speed_core", systolic_config(fields))
        core.build()  # the run-time library is compiled by now
        builds = [_built(core, run) for run in range(RUNS)]
        speeds = [_product(core, core.build()) for _ in range(RUNS)]
        of = f"{size}x{size}"
        build, speed = BUILD_GOALS.get(size), SPEED_GOALS.get(size)
        figures += [
            Figure(of, "build, wall", _median(b.wall for b in builds), "s", most=build),
            Figure(of, "build, processors", _median(b.processor for b in builds), "s"),
            Figure(of, "speed", round(_median(cycles / t.wall for cycles, t in speeds)), "cycles/s", least=speed),
            Figure(of, "run, wall", _median(t.wall for _, t in speeds), "s"),
            Figure(of, "run, processors", _median(t.processor for _, t in speeds), "s"),
        ]
    title = "Simulation of int8 cores of all dataflows: build with a warm run-time library, 256 x 256 x 256 in ws"
    return record("speed", title, figures)


def _built(core: Design, run: int) -> Times:
    """Builds it anew: a comment makes the sources differ from all that was built before."""
    spec = core.spec()
    name, text = next(iter(spec.sources.items()))
    fresh = replace(spec, sources={**spec.sources, name: f"{text}// built at {time.time_ns()}, run {run}\n"})
    start, used = time.perf_counter(), _children()
    make(fresh)
    return Times(time.perf_counter() - start, _children() - used)


def _product(core: Design, build: Build) -> tuple[int, Times]:
    """Cycles from the command to its completion, and the wall seconds between the two; C is compared afterwards.

    The processor seconds are those of the whole simulation, loads and read-out included.
    """
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-128, 128, (EXTENT, EXTENT)) for _ in range(2))
    session = CoreSession(core.parameters)
    loads = [session.load("load_a", a), session.load("load_b", b)]
    command = session.command(EXTENT, EXTENT, EXTENT, 0, after=loads)
    session.read(EXTENT, EXTENT, after=[command])
    used = _children()
    result = session.run(build, limits=Limits(quiet=10_000_000))  # 4x4 takes a million cycles
    used = _children() - used
    if result.answer(command)[0] != Status.OK or not np.array_equal(result.matrices[0], a @ b):
        raise result.run.failure("the timed command computed a wrong C")
    wall = result.result["completion"].wall[0] - result.result["command"].wall[0]
    return result.answered(command) - result.taken(command), Times(float(wall) * 1e-9, used)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _median(values: Iterable[float]) -> float:
    return round(statistics.median(values), 2)


if __name__ == "__main__":
    sys.exit(main())
