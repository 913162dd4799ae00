"""bytes that products move over the port, against the planner's figure and against the best of all tilings"""

from __future__ import annotations

import sys

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.plan import Plan, make_plan
from tilewright.generators.program.product import Product
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.engines import NARROW, Shape, layers
from tilewright.sim_tests.benchmarks.least_traffic import least_bytes
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.engine_products import Timed, measure, name

CUBES: tuple[Shape, ...] = ((256, 256, 256), (64, 64, 64))
ODD: tuple[Shape, ...] = (
    (1, 1, 1), (1, 257, 129), (257, 1, 129), (255, 129, 1), (17, 31, 47), (100, 37, 53), (127, 129, 131),
    (97, 101, 103), (33, 250, 77), (300, 11, 205),
)  # fmt: skip
MOST = 1.02


def shapes() -> dict[str, Shape]:
    """Cubes, odd sizes, the layers of ResNet-50."""
    found = {name(shape): shape for shape in (*CUBES, *ODD)}
    return found | {str(layer): layer.shape for layer in layers("ResNet-50")}


def leanest(product: Product, config: EngineConfig) -> Plan:
    """The plan for the fewest bytes."""
    return make_plan(product, config, objective="bytes")


def figures_of(of: str, run: Timed, lean: Timed) -> list[Figure]:
    """What was moved, planned and possible, by the plan for the fewest cycles and by that for the fewest bytes."""
    figures, least = [], least_bytes(run.product, run.config, lean.plan.traffic.tensor_bytes)
    for each, kind in ((run, "for cycles"), (lean, "for bytes")):
        traffic = each.plan.traffic
        off = each.moved - traffic.tensor_bytes, each.program - traffic.program_bytes
        figures += [
            Figure(of, f"{kind}: moved", each.moved, "bytes"),
            Figure(of, f"{kind}: cycles", each.cycles, ""),
            Figure(of, f"{kind}: moved / least", round(each.moved / least, 4), "", most=MOST if each is lean else None),
            Figure(of, f"{kind}: off the plan", abs(off[0]) + abs(off[1]), "bytes", most=0),
        ]
    return [*figures, Figure(of, "least of all tilings", least, "bytes")]


def main() -> int:
    """Every shape is run twice; the counters of the engine say what was moved."""
    figures = []
    for of, shape in shapes().items():
        run = measure(NARROW, shape)
        lean = measure(NARROW, shape, plan=leanest)
        figures += (more := figures_of(of, run, lean))
        print(f"{of}: {', '.join(f'{figure.what} {figure}' for figure in more)}", flush=True)
    return record("traffic", "Bytes of matrices over the 128-bit port of a 16x16 int8 engine, in whole beats", figures)


if __name__ == "__main__":
    sys.exit(main())
