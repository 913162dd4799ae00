"""every preset: area of the whole core on ECP5, and what its verification compares"""

from __future__ import annotations

import sys

from rich.console import Console

from tilewright.generators.config.presets import presets
from tilewright.generators.emit import generate
from tilewright.generators.report.area import area
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.harness.build_many import build_many
from tilewright.sim_tests.verify.outcome import run_tests
from tilewright.sim_tests.verify.subject import generated
from tilewright.sim_tests.verify.tests import TESTS

SEED = 1


def main() -> int:
    """The tests are those of ``tilewright verify --preset NAME``."""
    figures = []
    console = Console(stderr=True)
    subjects = {p.name: generated(p.name, p.config, generate(p.config)) for p in presets()}
    builds = build_many([s.spec() for s in subjects.values()], names=list(subjects), console=console)
    for (name, subject), build in zip(subjects.items(), builds, strict=True):
        outcomes = run_tests(subject, build, list(TESTS), SEED)
        with console.status(f"area of {name}"):
            core = {part.name: part for part in area(subject.config, "ecp5")}["core"].resources
        figures += [
            Figure(name, "LUT4-eq", core.lut4_eq, ""),
            Figure(name, "FF", core.ff, ""),
            Figure(name, "DSP", core.dsp, ""),
            Figure(name, "EBR", core.ebr, ""),
            Figure(name, "commands verified", sum(o.commands for o in outcomes), ""),
            Figure(name, "values compared", sum(o.compared for o in outcomes), ""),
            Figure(name, "cycles compared", sum(o.points for o in outcomes), ""),
            Figure(name, "tests failed", sum(not o.passed for o in outcomes), "", most=0),
        ]
    return record("presets", "Presets: whole cores on ECP5, mapped by Yosys, and their verification", figures)


if __name__ == "__main__":
    sys.exit(main())
