"""Rules of exclusive accesses: bytes, pairs, IDs."""

from __future__ import annotations

import pytest

from tilewright.sim_tests.harness.axi_ports import axi_ports
from tilewright.sim_tests.harness_tests.axi_traces import (
    LOCKED,
    NAMED,
    WRAP,
    Levels,
    ar,
    aw,
    r,
    read,
    run,
    w,
    with_ids,
    write,
)


@pytest.mark.parametrize(("size", "length", "rules"), [
    (4, 8, []), (4, 16, ["exclusive_bytes"]), (0, 1, []), (2, 3, ["exclusive_bytes"]), (0, 16, []),
])  # fmt: skip
def test_bytes_of_exclusive_accesses(size: int, length: int, rules: list[str]) -> None:
    wide = with_ids(axi_ports("m", address_bits=40, data_bits=128))
    trace = read(ar(size=size, len=length - 1, **LOCKED), length, id=2)
    assert [v.rule.name for v in run(trace, wide).violations] == rules


@pytest.mark.parametrize(("first", "second", "differs"), [
    ({}, {}, False), ({"len": 1}, {}, True), ({"size": 2}, {}, True),
    ({"len": 1}, {"len": 1, "burst": WRAP}, True), ({"lock": 0}, {"len": 1}, False), ({"id": 3}, {"len": 1}, False),
])  # fmt: skip
def test_exclusive_writes_that_differ_from_the_read(first: Levels, second: Levels, differs: bool) -> None:
    beats, names = first.get("len", 0) + 1, LOCKED | first
    reading = read(ar(**names), beats, id=names["id"])
    data = [w(last=int(n == second.get("len", 0))) for n in range(second.get("len", 0) + 1)]
    found = run([*reading, *write(aw(**LOCKED | second), *data, id=2)], NAMED).violations
    assert [v.rule.name for v in found] == ["exclusive_pair"] * differs


def test_exclusive_accesses_of_other_ids_are_others() -> None:
    trace = [ar(lock=1, id=2), *write(aw(lock=1, id=3), w(), id=3), r(id=2)]
    assert run(trace, NAMED).violations == []
