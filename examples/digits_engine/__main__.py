"""360 handwritten digits through two networks, on the RTL of an engine or elsewhere: ``python -m digits_engine``."""

from __future__ import annotations

import argparse
import sys
import time

from rich.console import Console

from digits_engine.run import CONFIG, NETWORKS, Outcome, run, utilisation
from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.commands.tables import Column, mark, percent, show
from tilewright.generators.demo.digits import digits


def main() -> int:
    """Runs the networks; 1 where a result differs from the reference."""
    words = argparse.ArgumentParser(
        prog="digits_engine", description="Read 360 handwritten digits, every bit compared."
    )
    words.add_argument("where", nargs="?", help="as in Accelerator.connect; by default an engine's RTL in simulation")
    words.add_argument("--network", choices=NETWORKS, help="only this one")
    chosen = words.parse_args()
    training, test = digits()
    good = True
    begun = time.monotonic()
    with Console(stderr=True).status("getting ready") as status, reached(chosen.where) as accelerator:
        accelerator.progress = False  # the status line tells enough
        print(f"ready after {time.monotonic() - begun:.1f} s\n")
        for name, make in NETWORKS.items():
            if chosen.network not in (None, name):
                continue
            status.update(f"{name}: {len(test)} images")
            outcome = run(accelerator, make(), training, test)
            show_outcome(name, outcome, accelerator)
            good &= outcome.differing == 0
    return 0 if good else 1


def reached(where: str | None) -> Accelerator:
    """What multiplies."""
    return Accelerator.simulate(CONFIG) if where is None else Accelerator.connect(where)


def show_outcome(name: str, outcome: Outcome, accelerator: Accelerator) -> None:
    """Prints the tables of a network."""
    columns = [Column(head, right=True) for head in ("MACs", "cycles", "utilisation", "compared", "differing", "s")]
    rows = [
        (
            run.name,
            f"{run.macs:,}",
            f"{run.cycles:,}" if run.cycles else "not counted",
            percent(utilisation(accelerator, run.macs, run.cycles)) if run.cycles else "",
            f"{run.values:,}",
            f"{run.differing:,}",
            f"{run.seconds:.1f}",
        )
        for run in outcome.runs
    ]
    show((Column("layer"), *columns), rows, name)
    lines = [(which, percent(right / outcome.images)) for which, right in outcome.right.items()]
    verdict = ("every result as in the reference", mark(outcome.differing == 0))
    show((Column("digits read right"), Column("", right=True)), [*lines, verdict])
    print()


if __name__ == "__main__":
    sys.exit(main())
