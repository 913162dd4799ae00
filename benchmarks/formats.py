"""area on ECP5 of one multiply-accumulate by formats of operands and accumulator, mapped by Yosys"""

from __future__ import annotations

import sys

from tilewright.generators.report.figures import Figure
from tilewright.generators.report.formats import FormatReport, format_reports
from tilewright.sim_tests.benchmarks.record import record

MOST = {"bf16 into fx48": 340}
"""Goals of LUT4 + 2 CCU2C."""
MOST_NARROW = {"bf16 into fp32": 700}
"""The same without LUTs of more than four inputs."""


def figures(found: list[FormatReport]) -> list[Figure]:
    """What is kept of ``found``."""
    kept = []
    for each in found:
        used = each.resources
        kept.append(Figure(each.name, "LUT4-eq", used.lut4_eq, "", most=MOST.get(each.name)))
        narrow = each.narrow.lut4_eq
        kept.append(Figure(each.name, "LUT4-eq without wide LUTs", narrow, "", most=MOST_NARROW.get(each.name)))
        for what, value in (("LUT4", used.lut4), ("CCU2C", used.ccu2c), ("FF", used.ff), ("DSP", used.dsp)):
            kept.append(Figure(each.name, what, value, ""))
        kept.append(Figure(each.name, "from operand to sum", each.latency, "cycles"))
    return kept


def main() -> int:
    """The processing elements of ``tilewright report formats``, as pipelined as those of the presets."""
    title = (
        "Processing elements of weight-stationary arrays, one register before the add (which takes 3 cycles for fp32)"
    )
    return record("formats", f"{title}, on ECP5", figures(format_reports()), simulated=False)


if __name__ == "__main__":
    sys.exit(main())
