"""a sentence encoder of six layers, all its matrix products on 16x16 engines of int8 and bf16"""

from __future__ import annotations

import sys
import time
from typing import Any

from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.examples.example import module

FARTHEST = {"int8": 0.01, "bf16": 0.001}
CYCLES_PER_SECOND = 15_000
SECONDS = 900


def figures(engine: str, found: Any, seconds: float) -> list[Figure]:
    """What became of a study (`minilm.study.Study`) that took ``seconds``."""
    kept = []
    for kind in module("minilm.encoder").KINDS:
        kept += _runs(f"{engine}, {kind}", found, [run for run in found.measured if run.kind == kind])
    kept += _runs(f"{engine}, all", found, found.measured)
    values, differing = (sum(getattr(run, name) for run in found.measured) for name in ("values", "differing"))
    distance = round(1 - float(found.cosines.min()), 7)
    soon = SECONDS if engine == "int8" else None
    return [
        *kept,
        _number(f"{engine}: results compared", values),
        _number(f"{engine}: results that differ from the reference", differing, most=0),
        _number(f"{engine}: 1 - cosine with the float network, largest", distance, most=FARTHEST[engine]),
        _number(f"{engine}: sentences ranked as in floats (1: yes)", int(found.same_ranking), least=1),
        _number(f"{engine}: simulated cycles a second", round(found.cycles_per_second), least=CYCLES_PER_SECOND),
        *(_number(f"{engine}: seconds, {name}", round(spent, 1)) for name, spent in found.seconds.items()),
        _number(f"{engine}: seconds, all", round(seconds, 1), most=soon),
    ]


def _number(of: str, value: float, least: float | None = None, most: float | None = None) -> Figure:
    return Figure(of, "number", value, "", least=least, most=most)


def _runs(of: str, found: Any, runs: Any) -> list[Figure]:
    return [
        Figure(of, "products", sum(run.products for run in runs), ""),
        Figure(of, "MACs", sum(run.macs for run in runs), ""),
        Figure(of, "cycles", sum(run.cycles for run in runs), ""),
        Figure(of, "utilisation", round(100 * found.utilisation(runs), 1), "%"),
        Figure(of, "wall time", round(sum(run.seconds for run in runs), 1), "s"),
    ]


def main() -> int:
    """Both engines."""
    kept = []
    for engine in module("minilm.run").ENGINES:
        begun = time.monotonic()
        found = module("minilm.run").run(engine)
        kept += figures(engine, found, time.monotonic() - begun)
    sentences = len(module("minilm.run").SENTENCES)
    title = f"all-MiniLM-L6-v2 on 16x16 engines, {sentences} sentences; cycles from start to interrupt"
    return record("minilm", title, kept)


if __name__ == "__main__":
    sys.exit(main())
