"""What drives a measured array is what it claims to be."""

from __future__ import annotations

import re

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit.cells import models
from tilewright.generators.emit.elaborate import modules
from tilewright.generators.report.area import Resources
from tilewright.generators.report.synthesis import Job, map_module
from tilewright.sim_tests.benchmarks.array_harness import TOP, harness
from tilewright.sim_tests.benchmarks.scripts import script
from tilewright.sim_tests.harness.lint import lint

ARRAY = systolic_config(
    {"product": "array", "rows": 3, "cols": 2, "dataflow": "any", "overflow": "wrap", "pipeline": 2, "target": "ecp5"}
)


def test_no_register_of_the_array_is_made_one_with_another_of_its_harness() -> None:
    written = modules(ARRAY)
    sources = {module.name: module.text for module in written}
    text = harness(written[-1], 8)
    own = re.findall(r"^  reg \[(\d+):0\]", text, re.M)
    registers = sum(int(high) + 1 for high in own) + 1  # q
    alone = Resources.of(map_module(Job(written[-1].name, sources, "ecp5")).cells)
    together = Resources.of(map_module(Job(TOP, sources | {TOP: text}, "ecp5")).cells)
    assert together.ff == alone.ff + registers
    assert together.dsp == alone.dsp == 6


def test_the_harness_is_clean() -> None:
    written = modules(ARRAY)
    files = {f"{module.name}.v": module.text for module in written} | models(written)
    assert lint(files | {f"{TOP}.v": harness(written[-1], 8)}, TOP) == []


def test_goals_are_those_of_arrays_that_are_configured() -> None:
    bench = script("array-fmax")
    assert {bench.config(dataflow).target for dataflow in bench.LEAST} == {
        "ecp5"
    } and bench.MOST.keys() < bench.LEAST.keys()
