"""The table of elementary functions, from the sweep of all operands that the command line shows."""

from __future__ import annotations

import math
from functools import cache

from tilewright.generators.report.functions import HEADINGS, function_reports
from tilewright.hdl.numeric.functions import FUNCTIONS
from tilewright.sim_tests.docs.pages import table


@cache
def function_table() -> str:
    """Every function: definition, table, error, latency."""
    found = function_reports()
    lines = [(name, f"`{each.formula}`", *rest) for each in found for name, *rest in [each.cells]]
    return table((HEADINGS[0], "definition", *HEADINGS[1:]), lines, right=range(2, 2 + len(HEADINGS) - 1))


def special_results() -> str:
    """Results of zeros, infinities and operands below 0."""
    lines = []
    for function in FUNCTIONS.values():
        results = (*function.at_infinity, *function.at_zero)
        shown = (("-" if math.copysign(1, value) < 0 else "+") + f"{abs(value):g}" for value in results)
        cells = ("NaN" if math.isnan(value) else text for value, text in zip(results, shown, strict=True))
        lines.append((function.name, *cells, "NaN" if function.without_negatives else "as defined"))
    return table(("function", "+inf", "-inf", "+0", "-0", "below 0"), lines)
