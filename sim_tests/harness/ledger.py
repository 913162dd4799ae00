"""Keeps count of what was built and run, over all processes of a test session, and sums it up.

If ``TILEWRIGHT_LEDGER`` names a file, every build and run adds a line of JSON to it, whichever process it happens in;
lines are written in one piece, so that processes do not mix them up. Without it, only this process is counted.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

VARIABLE = "TILEWRIGHT_LEDGER"

Entry = dict[str, Any]

_own: list[Entry] = []


def _add(entry: Entry) -> None:
    named = os.environ.get(VARIABLE)
    if not named:
        _own.append(entry)
        return
    line = (json.dumps(entry) + "\n").encode()
    file = os.open(named, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        os.write(file, line)
    finally:
        os.close(file)


def count_build(top: str, key: str, cached: bool, seconds: Mapping[str, float]) -> None:
    """Count a build; ``seconds`` are those of its steps."""
    _add({"kind": "build", "top": top, "key": key, "cached": cached, "seconds": dict(seconds)})


def count_run(*, cycles: int, seconds: float, beats: int, compared: int, stalls: int) -> None:
    """Count a run of the compiled driver: cycles, transferred and compared beats, stall cycles of all streams."""
    _add(
        {
            "kind": "run",
            "cycles": cycles,
            "seconds": seconds,
            "beats": beats,
            "compared": compared,
            "stalls": stalls,
        }
    )


def count_tests(tests: int, seconds: float) -> None:
    """Count a run of cocotb tests."""
    _add({"kind": "cocotb", "tests": tests, "seconds": seconds})


def count(**amounts: int) -> None:
    """Count anything else under its own name, e.g. ``count(commands=12, outputs=3072)``; names read as words."""
    _add({"kind": "other", "amounts": amounts})


def entries() -> list[Entry]:
    """Everything counted so far."""
    named = os.environ.get(VARIABLE)
    if not named:
        return list(_own)
    path = Path(named)
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def summary(counted: Iterable[Entry] | None = None) -> str:
    """A few lines of text: builds, cached or not, seconds, runs, cycles, stalls, anything else."""
    counted = entries() if counted is None else list(counted)
    builds = [entry for entry in counted if entry["kind"] == "build"]
    made = [entry for entry in builds if not entry["cached"]]
    steps = {step: sum(entry["seconds"].get(step, 0.0) for entry in made) for step in ("verilator", "C++", "link")}
    runs = [entry for entry in counted if entry["kind"] == "run"]
    total = {key: sum(entry[key] for entry in runs) for key in ("cycles", "seconds", "beats", "compared", "stalls")}
    tests = [entry for entry in counted if entry["kind"] == "cocotb"]
    timing = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in steps.items())
    lines = [
        f"designs: {len({entry['key'] for entry in builds})} distinct, {len(made)} built ({timing}), "
        f"{len(builds) - len(made)} times found in the cache",
        f"runs: {len(runs)}, {total['cycles']} cycles in {total['seconds']:.1f} s, {total['beats']} beats "
        f"transferred, {total['compared']} compared, {total['stalls']} stall cycles",
    ]
    if tests:
        count, seconds = (sum(entry[key] for entry in tests) for key in ("tests", "seconds"))
        lines.append(f"cocotb: {count} tests in {seconds:.1f} s")
    other: Counter[str] = Counter()
    for entry in counted:
        if entry["kind"] == "other":
            other.update(entry["amounts"])
    lines += [f"{name.replace('_', ' ')}: {amount}" for name, amount in sorted(other.items())]
    return "\n".join(lines)
