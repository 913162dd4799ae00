"""random products on what was built for boards, taken apart again: the bitstream, or the netlist of a step"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tilewright.fpga.boards.known import board
from tilewright.fpga.flow.flows import flow_of
from tilewright.fpga.flow.netlist import LEVELS
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.record import record

MOST_MINUTES = 5
PRODUCTS = {"icebreaker": 1000, "ulx3s": 100, "tang-nano-9k": 100}
_PROGRAM = "from tilewright.generators.cli import main; main()"


@dataclass(frozen=True)
class Said:
    """What a command gave: its exit code, its JSON (nothing where it failed), and the processor seconds it took."""

    code: int
    found: dict[str, int]
    seconds: float


def command(*words: str, cache: Path | None = None) -> Said:
    """Runs `tilewright` in a process of its own, with ``cache`` in the place of the user's."""
    environment = os.environ | ({"TILEWRIGHT_CACHE": str(cache)} if cache else {})
    start = _processor_seconds()
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *words, "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    return Said(done.returncode, found, _processor_seconds() - start)


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def figures_of(name: str, products: int, folder: Path) -> list[Figure]:
    """Of one board: how many products and results were right, and what comparing them took."""
    chosen = board(name)
    of = f"{chosen.title}: {LEVELS[chosen.part.family]}"
    if command("build", "--board", name, "-o", str(folder / name)).code:
        return [Figure(of, "products right", 0, "", least=products)]
    tested = command("selftest", f"netlist:{folder / name}", "--products", str(products), cache=folder / "cache")
    return [
        Figure(of, "products right", tested.found.get("products", 0), "", least=products),
        Figure(of, "results compared", tested.found.get("results", 0), ""),
        Figure(of, "selftest", round(tested.seconds, 1), "CPU s", most=60 * MOST_MINUTES),
    ]


def main() -> int:
    """What has been built for a board before is not built again; the build of its simulation is, as a part of the
    selftest."""
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for name, products in PRODUCTS.items():
            print(f"{name} ...", file=sys.stderr)
            figures += figures_of(name, products, Path(folder))
    packages = sorted({tool.package for name in PRODUCTS for tool in flow_of(board(name).part.family).tools})
    return record("ladder", "tilewright selftest netlist:DIR, random products", figures, packages=packages)


if __name__ == "__main__":
    sys.exit(main())
