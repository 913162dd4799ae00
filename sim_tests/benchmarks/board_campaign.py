"""What `tilewright selftest` says of all faults of a board's design, and of some of them alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tilewright.sim_tests.benchmarks.board_activation import watched
from tilewright.sim_tests.benchmarks.board_faults import Drawn
from tilewright.sim_tests.benchmarks.board_mutants import REFUSED, WRONG, Verdict

EQUIVALENT, MISSED = "equivalent", "missed"
FIRST = 25
"""Products after which it is tried to prove that a fault that they have not found is none."""


@dataclass(frozen=True)
class Outcome:
    """What became of a fault: one of `tilewright.sim_tests.benchmarks.board_mutants.CAUGHT`, `EQUIVALENT`, `MISSED`;
    the words; the product at which it was found; whether it made a difference at any of its cells' outputs."""

    kind: str
    words: str
    product: int = 0
    active: bool = True


def judged(
    drawn: Drawn, products: int, tell: Callable[[int, Outcome], None] = lambda number, outcome: None
) -> dict[int, Outcome]:
    """What becomes of each fault, by number, with as many products as the command does.

    A run without any is watched: of cells that never had another output in it with a fault, no simulation can tell.
    Raises ValueError where the design fails without any.
    """
    with watched() as activated:
        found = drawn.watching.right(products)
    if found.kind:
        raise ValueError(f"the selftest fails without any fault: {found.words}")
    drawn.faulty.pace = drawn.watching.pace
    outcomes = {}
    for number in drawn.names:
        outcomes[number] = _outcome(drawn, number, products, number in activated)
        tell(number, outcomes[number])
    return outcomes


def _outcome(drawn: Drawn, number: int, products: int, active: bool) -> Outcome:
    if number in drawn.refused:
        return Outcome(REFUSED, drawn.refused[number])
    verdict = drawn.faulty.verdict(number, min(FIRST, products)) if active else Verdict("", "", 0)
    if not verdict.kind:
        proof = drawn.proof(number)
        if proof:
            return Outcome(EQUIVALENT, proof, active=active)
        if active:
            verdict = drawn.faulty.verdict(number, products)
    if not verdict.kind:
        return Outcome(MISSED, "" if active else "never active", active=active)
    return Outcome(verdict.kind, verdict.words, verdict.product)


def confirmed(drawn: Drawn, outcomes: Mapping[int, Outcome], products: int) -> dict[int, bool]:
    """Whether the design with one fault alone gives the same verdict: of the first fault of each kind that made a
    result wrong."""
    first: dict[str, int] = {}
    for number, outcome in outcomes.items():
        if outcome.kind == WRONG:
            first.setdefault(drawn.names[number].partition(":")[0], number)
    found = {}
    for number in first.values():
        outcome = outcomes[number]
        verdict = drawn.alone(number).verdict(0, products)
        found[number] = verdict == Verdict(outcome.kind, outcome.words, outcome.product)
    return found
