"""Faults of boards' designs: what is proved of them, and what becomes of them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tilewright.sim_tests.benchmarks.board_activation import ACTIVATED
from tilewright.sim_tests.benchmarks.board_campaign import EQUIVALENT, MISSED, confirmed, judged
from tilewright.sim_tests.benchmarks.board_faults import Drawn
from tilewright.sim_tests.benchmarks.board_mutant_proofs import Logic, same_logic
from tilewright.sim_tests.benchmarks.board_mutants import REFUSED, WRONG, Faulty, Verdict

_ONE_HOT = [
    "reg r1 = 1'b0; assign n1 = r1;",
    "always @(posedge n0) if (1'b1) r1 <= n9;",
    "reg r2 = 1'b0; assign n2 = r2;",
    "always @(posedge n0) if (1'b1) r2 <= n8 ? 1'b0 : n7;",
    "assign n8 = n9;",
    "assign tx = n3;",
]


def proved(before: str, after: str) -> str:
    return same_logic(Logic.of([*_ONE_HOT, before]), Logic.of([*_ONE_HOT, after]), ["tx"])


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("assign n3 = (n1 ? n2 : 1'b0);", "assign n3 = (n1 ? n2 : n2);", ""),
        ("assign n4 = (n1 ? n2 : 1'b0);", "assign n4 = (n1 ? n2 : n2);", "reaches nothing"),
        ("assign n3 = (n9 ? (n8 ? n2 : 1'b0) : n1);", "assign n3 = (n9 ? n2 : n1);", "the same in all states, 0 .*"),
        ("assign n3 = (n1 ? n2 : 1'b0);", "assign n3 = 1'b0;", "the same in all states, 1 .*"),
        ("assign n3 = n1;", "assign n3 = (n3 ? n2 : n1);", ""),
        ("assign n5 = n1;", "reg r5 = 1'b0; assign n5 = r5;", "reaches nothing"),
    ],
)
def test_what_follows_is_the_same_or_it_is_not_proved(before: str, after: str, found: str) -> None:
    assert re.fullmatch(found, proved(before, after))


class _Faulty(Faulty):
    """Whose faults are known."""

    def __init__(self, found: dict[int, Verdict]) -> None:
        super().__init__({}, "top", 8)
        self._found = found

    def _verdict(self, number: int, products: int, tell: object) -> Verdict:
        if number == 0 and ACTIVATED in os.environ:
            Path(os.environ[ACTIVATED]).write_text("".join(f"{active} 7\n" for active in self._found))
        found = self._found.get(number)
        return found if found and found.product <= products else Verdict("", "", products)


def test_what_becomes_of_faults() -> None:
    late, early = Verdict(WRONG, "late", 90), Verdict(WRONG, "early", 3)
    names = {1: "bit: a", 2: "bit: b", 3: "bit: c", 4: "wire: d", 5: "bit: e", 6: "bit: f"}
    faulty = _Faulty({1: early, 2: late, 6: Verdict("", "", 0)})
    drawn = Drawn(
        faulty, faulty, names, {5: "no"}, 0, lambda number: "proof" if number == 3 else "", lambda number: faulty
    )
    found = judged(drawn, 100)
    assert [outcome.kind for outcome in found.values()] == [WRONG, WRONG, EQUIVALENT, MISSED, REFUSED, MISSED]
    assert [outcome.product for outcome in found.values()] == [3, 90, 0, 0, 0, 0]
    assert [outcome.active for outcome in found.values()] == [True, True, False, False, True, True]
    assert confirmed(drawn, found, 100) == {1: False}, "alone the first one gives another verdict"
    failing = _Faulty({0: early})
    with pytest.raises(ValueError, match=r"^the selftest fails without any fault: early$"):
        judged(Drawn(failing, failing, names, {}, 0, lambda number: "", lambda number: faulty), 100)
