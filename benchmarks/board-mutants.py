"""200 flipped bits of a board's bitstream, 100 faults of a routed netlist: the selftest finds each, or it is none"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tilewright.fpga.boards.known import board
from tilewright.fpga.flow.built import Built, read_built
from tilewright.fpga.flow.flows import flow_of
from tilewright.fpga.flow.netlist import LEVELS
from tilewright.generators.commands.screen import progress
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.board_campaign import EQUIVALENT, MISSED, Outcome, confirmed, judged
from tilewright.sim_tests.benchmarks.board_faults import Drawn, Shares, bitstream_faults, netlist_faults
from tilewright.sim_tests.benchmarks.board_mutants import CAUGHT
from tilewright.sim_tests.benchmarks.record import record

SEED = 1
LEAST_PERCENT = 95
_PROGRAM = "from tilewright.generators.cli import main; main()"


@dataclass(frozen=True)
class Campaign:
    """Faults of a board's design: how they are drawn, how many of each kind; and the products of its selftest."""

    draw: Callable[[Built, Shares, int], Drawn]
    shares: Shares
    products: int


CAMPAIGNS = {
    "icebreaker": Campaign(
        bitstream_faults, {"look-up table": 70, "carry and flip-flop": 20, "multiplier": 20, "routing": 90}, 1000
    ),
    "ulx3s": Campaign(netlist_faults, {"look-up table": 35, "carry": 15, "multiplier": 10, "connection": 40}, 100),
}


def figures_of(name: str, seed: int, folder: Path) -> list[Figure]:
    """Of one board."""
    campaign, chosen = CAMPAIGNS[name], board(name)
    words = ("build", "--board", name, "-o", str(folder / name), "--json")
    subprocess.run([sys.executable, "-c", _PROGRAM, *words], stdout=subprocess.DEVNULL, check=True)
    drawn = campaign.draw(read_built(folder / name), campaign.shares, seed)
    print(f"{chosen.title}: {len(drawn.names)} faults of seed {seed}, {drawn.idle} drawn beside them change no cell")
    outcomes = _with_progress(name, drawn, campaign.products)
    alone = confirmed(drawn, outcomes, campaign.products)
    for number, same in alone.items():
        print(f"{number}: {drawn.names[number]}: alone it is {'the same' if same else 'ANOTHER'}", file=sys.stderr)
    return _figures(f"{chosen.title}: {LEVELS[chosen.part.family]}, seed {seed}", drawn, outcomes, alone)


def _with_progress(name: str, drawn: Drawn, products: int) -> dict[int, Outcome]:
    """Judges all faults, and tells each; what is not caught also on standard error."""
    console = progress()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(name, total=len(drawn.names))

        def tell(number: int, outcome: Outcome) -> None:
            bar.update(task, advance=1)
            at = f" at product {outcome.product}" if outcome.product else ""
            line = f"{number}: {drawn.names[number]} - {outcome.kind}{at}{outcome.words and ': '}{outcome.words}"
            print(line, flush=True, file=sys.stdout if outcome.kind in CAUGHT else sys.stderr)

        return judged(drawn, products, tell)


def _figures(of: str, drawn: Drawn, outcomes: Mapping[int, Outcome], alone: Mapping[int, bool]) -> list[Figure]:
    kinds = Counter(outcome.kind for outcome in outcomes.values())
    caught = sum(kinds[kind] for kind in CAUGHT)
    faults = len(outcomes) - kinds[EQUIVALENT]
    return [
        Figure(of, "mutations", len(outcomes), ""),
        Figure(of, "caught", caught, ""),
        *(Figure(of, kind, kinds[kind], "") for kind in CAUGHT),
        Figure(of, "proved equivalent", kinds[EQUIVALENT], ""),
        Figure(of, "missed", kinds[MISSED], ""),
        Figure(of, "caught of those not equivalent", round(100 * caught / faults, 1), "%", least=LEAST_PERCENT),
        *_by_kind(of, drawn, outcomes),
        Figure(of, "drawn beside: change no cell", drawn.idle, ""),
        Figure(of, "alone the same", sum(alone.values()), "", least=len(alone)),
    ]


def _by_kind(of: str, drawn: Drawn, outcomes: Mapping[int, Outcome]) -> Iterator[Figure]:
    """How many faults of each kind make a difference anywhere while the selftest runs, and how many are caught."""
    kinds: dict[str, list[Outcome]] = {}
    for number, outcome in outcomes.items():
        kinds.setdefault(drawn.names[number].partition(":")[0], []).append(outcome)
    for kind, found in kinds.items():
        yield Figure(of, f"{kind}: make a difference", sum(outcome.active for outcome in found), "", most=len(found))
        yield Figure(of, f"{kind}: caught", sum(outcome.kind in CAUGHT for outcome in found), "", most=len(found))


def main() -> int:
    """The seed of the faults may be given as the only argument."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else SEED
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for name in CAMPAIGNS:
            figures += figures_of(name, seed, Path(folder))
    packages = sorted({tool.package for name in CAMPAIGNS for tool in flow_of(board(name).part.family).tools})
    title = "Random faults in what was built for boards, and tilewright selftest netlist:DIR"
    return record("board-mutants", title, figures, packages=packages)


if __name__ == "__main__":
    sys.exit(main())
