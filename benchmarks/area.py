"""area of the 8x8 int8 array on ECP5 by dataflow and overflow policy, mapped by Yosys"""

from __future__ import annotations

import sys
from itertools import product

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.report.area import area
from tilewright.generators.report.figures import Figure
from tilewright.generators.report.parts import lane_name
from tilewright.sim_tests.benchmarks.record import record

# LUT4 + 2 CCU2C per PE of the array, sums that wrap
MOST = {"ws": 26, "os": 70, "any": 105}


def main() -> int:
    """Bare arrays; what a core has between a column and C is counted apart."""
    figures = []
    for overflow, dataflow in product(("wrap", "saturate"), ("ws", "is", "os", "any")):
        fields = {"product": "array", "rows": 8, "cols": 8, "dataflow": dataflow, "overflow": overflow}
        parts = {part.name: part for part in area(systolic_config(fields), "ecp5")}
        core = systolic_config(fields | {"product": "core"})
        (lane,) = area(core, "ecp5", only=(lane_name(core),))
        of, array = f"{dataflow} {overflow}", parts["array"]
        most = MOST.get(dataflow) if overflow == "wrap" else None
        figures.append(Figure(of, "LUT4-eq per PE", round(array.lut4_eq_per_pe, 2), "", most=most))
        for what, value in (
            ("LUT4", array.resources.lut4),
            ("CCU2C", array.resources.ccu2c),
            ("FF", array.resources.ff),
            ("DSP", array.resources.dsp),
            ("LUT4-eq of one PE alone", parts["PE"].resources.lut4_eq),
            ("LUT4-eq of a column's lane in a core", lane.resources.lut4_eq),
        ):
            figures.append(Figure(of, what, value, ""))
    return record("area", "Bare 8x8 int8 array, 32-bit results, on ECP5", figures, simulated=False)


if __name__ == "__main__":
    sys.exit(main())
