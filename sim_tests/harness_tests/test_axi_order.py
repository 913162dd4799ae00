"""Rules of what may come before what: addresses, data, answers, IDs, resets."""

from __future__ import annotations

import pytest

from tilewright.sim_tests.harness_tests.axi_traces import (
    LOCKED,
    NAMED,
    QUIET,
    Trace,
    ar,
    aw,
    b,
    held,
    r,
    read,
    run,
    w,
    write,
)


def test_data_before_addresses_belong_to_the_oldest_write() -> None:
    trace = [w(last=0), w(), w(), aw(len=1), aw(), b(), b()]
    assert run(trace).violations == []
    swapped = [w(last=0), w(), w(), aw(), aw(len=1)]
    assert [v.rule.name for v in run(swapped).violations] == ["wlast_set", "w_beats"]


def test_addresses_before_data() -> None:
    assert run([aw(len=1), aw(), w(last=0), w(), w() | b(), b()]).violations == []
    found = run([aw(len=1), aw(), w(last=0), w(), b(), b()]).violations
    assert [(v.rule.name, v.cycle) for v in found] == [("b_after_w", len(QUIET) + 5)]


def test_everything_at_one_edge_is_accepted_but_not_answered() -> None:
    assert run([aw() | w() | ar(), b() | r()]).violations == []
    names = [v.rule.name for v in run([aw() | w() | ar() | b() | r()]).violations]
    assert names == ["r_after_ar", "b_after_aw"]


def test_reads_of_different_ids_may_interleave_and_those_of_one_may_not_overtake() -> None:
    trace = [ar(id=1, len=1), ar(id=2), r(id=1, last=0), r(id=2), r(id=1)]
    assert run(trace, NAMED).violations == []
    overtaken = [ar(id=1, len=1), ar(id=1), r(id=1), r(id=1, last=0), r(id=1)]
    assert next(v.rule.name for v in run(overtaken, NAMED).violations) == "r_beats"


def test_writes_of_different_ids_may_be_answered_in_any_order() -> None:
    assert run([aw(id=1), aw(id=2), w(), w(), b(id=2), b(id=1)], NAMED).violations == []
    late = run([aw(id=1), aw(id=2), w(), b(id=2), w(), b(id=1)], NAMED).violations
    assert [v.rule.name for v in late] == ["b_after_w"]


AGAIN: Trace = [{"reset": 1}, {"reset": 1}, {}]


@pytest.mark.parametrize(("before", "after", "rules"), [
    ([ar()], [r()], ["r_after_ar"]),
    ([aw(), w()], [b()], ["b_after_aw"]),
    ([w()], [aw(), b()], ["b_after_w"]),
    ([held("m_w", strb=255, last=1)], [{}], []),
    (read(ar(8, **LOCKED), id=2), write(aw(16, **LOCKED), w(), id=2), []),
])  # fmt: skip
def test_reset_forgets_what_was_under_way(before: Trace, after: Trace, rules: list[str]) -> None:
    assert [v.rule.name for v in run([*before, *AGAIN, *after], NAMED).violations] == rules
