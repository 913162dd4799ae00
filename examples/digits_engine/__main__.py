"""360 handwritten digits through two networks on the RTL of an engine: ``python -m digits_engine``, in examples/."""

from __future__ import annotations

import sys
import time

from rich.console import Console

from digits_engine.run import CONFIG, NETWORKS, Outcome, run, utilisation
from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.commands.tables import Column, mark, percent, show
from tilewright.generators.demo.digits import digits


def main() -> int:
    """Runs both networks; 1 where a result differs from the reference."""
    training, test = digits()
    good = True
    begun = time.monotonic()
    with Console(stderr=True).status("building the engine") as status, Accelerator.simulate(CONFIG) as accelerator:
        accelerator.progress = False  # the status line tells enough
        print(f"the engine was ready after {time.monotonic() - begun:.1f} s\n")
        for name, make in NETWORKS.items():
            status.update(f"{name}: {len(test)} images")
            outcome = run(accelerator, make(), training, test)
            show_outcome(name, outcome, accelerator)
            good &= outcome.differing == 0
    return 0 if good else 1


def show_outcome(name: str, outcome: Outcome, accelerator: Accelerator) -> None:
    """Prints the tables of a network."""
    columns = [Column(head, right=True) for head in ("MACs", "cycles", "utilisation", "compared", "differing", "s")]
    rows = [
        (
            run.name,
            f"{run.macs:,}",
            f"{run.cycles:,}",
            percent(utilisation(accelerator, run.macs, run.cycles)),
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
