"""How a bench ends: its figures are printed and kept, and it fails where one misses its goal."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from tilewright.generators.report.figures import RESULTS, Bench, Figure
from tilewright.sim_tests.harness.tools import compiler, verilator

ROOT = Path(__file__).resolve().parents[2]


def record(
    name: str,
    title: str,
    figures: Sequence[Figure],
    *,
    simulated: bool = True,
    packages: Sequence[str] = (),
    root: Path = ROOT,
) -> int:
    """Keeps ``figures`` as the results of ``make bench-<name>``, prints them, and returns the exit code.

    ``simulated``: the C++ simulator made them; else Yosys and Python alone did, and tools of ``packages``.
    """
    used = {package: version(package) for package in ("amaranth", "pyosys", *packages)}
    if simulated:
        used = {"Verilator": verilator().version, "C++": compiler().version} | used
    bench = Bench(name, title, f"make bench-{name}", commit(root), used, tuple(figures))
    bench.write(root / RESULTS)
    print(f"{title}\n\n{bench.table()}")
    for figure in bench.missed():
        print(f"missed: {figure.what} of {figure.of}: {figure} {figure.unit}")
    return 1 if bench.missed() else 0


def commit(root: Path) -> str:
    """The commit that ``root`` is at, with "-dirty" where files that it tracks differ, other than results."""
    done = _git(root, "rev-parse", "--short", "HEAD")
    if done.returncode != 0:
        return "unknown"
    others = [".", f":(exclude){RESULTS}"]
    changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", *others).stdout
    return done.stdout.strip() + ("-dirty" if changed else "")


def _git(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
