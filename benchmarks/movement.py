"""model of movement against counters on the RTL: three shapes in three dataflows"""

from __future__ import annotations

import sys
from itertools import product

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.report.figures import Figure
from tilewright.generators.report.movement import movement
from tilewright.generators.report.workload import Layer
from tilewright.hdl.systolic.records import Start
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.movement_counters import count_movement

SHAPES = ((32, 32, 32), (50, 19, 27), (17, 60, 9))
DATAFLOWS = ("ws", "os", "is")
COUNTED = {"loads of A": "a_words", "loads of B": "b_words", "C read": "c_reads", "C written": "c_writes"}


def main() -> int:
    """An 8x8 core of all dataflows."""
    fields = {"module_name": "moved", "rows": 8, "cols": 8, "dataflow": "any"}
    config = systolic_config(fields | {"max_m": 64, "max_n": 64, "max_k": 64})
    figures = []
    for shape, dataflow in product(SHAPES, DATAFLOWS):
        model = movement(config, Layer("bench", *shape), dataflow)
        counted = count_movement(config, shape, DATAFLOWS.index(dataflow), start=Start.ZERO)
        of = f"{' x '.join(map(str, shape))} {dataflow}"
        figures += [Figure(of, what, getattr(counted, field), "words") for what, field in COUNTED.items()]
        figures.append(Figure(of, "hops of sums", counted.sum_hops or 0, ""))
        fields_of_both = (*COUNTED.values(), "sum_hops", "steps")
        differing = sum(getattr(model, field) != getattr(counted, field) for field in fields_of_both)
        figures.append(Figure(of, "counts that differ from the model", differing, "", most=0))
    return record("movement", "8x8 int8 core, counted on the RTL while one command runs", figures)


if __name__ == "__main__":
    sys.exit(main())
