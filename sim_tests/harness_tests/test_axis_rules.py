"""Every rule of AXI4-Stream, broken by a trace that breaks nothing else, and kept by one that is nearly the same."""

from __future__ import annotations

import pytest

from tilewright.sim_tests.harness.axi_rules import TraceResult, check_stream_trace, rules_by_name
from tilewright.sim_tests.harness.axis_ports import axis_port

NAME = "m_axis_store"
BUS = 8
PORT = axis_port(NAME, data_bits=8 * BUS)
Levels = dict[str, int]
QUIET: list[Levels] = [{"reset": 1}, {"reset": 1}, {}]


def offered(data: int = 0x5A, keep: int = 0xFF, last: int = 0) -> Levels:
    """A beat that is not taken."""
    return {f"{NAME}_tdata": data, f"{NAME}_tkeep": keep, f"{NAME}_tlast": last, f"{NAME}_tvalid": 1}


def beat(data: int = 0x5A, keep: int = 0xFF, last: int = 0) -> Levels:
    """A beat that is taken."""
    return offered(data, keep, last) | {f"{NAME}_tready": 1}


def run(trace: list[Levels], *, quiet: list[Levels] | None = None) -> TraceResult:
    """What the rules say of a trace after a reset."""
    return check_stream_trace(PORT, [*(QUIET if quiet is None else quiet), *trace])


#: Rule, a trace that breaks it and how many edges after the quiet ones, a trace that keeps it.
CASES: list[tuple[str, list[Levels], int, list[Levels]]] = [
    ("t_valid_stays", [offered(), {}], 1, [offered(), beat()]),
    ("t_payload_stable", [offered(1), beat(2)], 1, [offered(1), beat(1), beat(2)]),
    ("t_payload_stable", [offered(1 << 63), offered(0)], 1, [offered(1 << 63), offered(1 << 63)]),
    ("t_payload_stable", [offered(last=1), offered(last=0)], 1, [offered(last=1), offered(last=1)]),
    ("t_payload_stable", [offered(keep=0x7F, last=1), beat(keep=0x3F, last=1)], 1,
     [offered(keep=0x7F, last=1), beat(keep=0x7F, last=1)]),
    ("t_keep_full", [beat(), beat(keep=0x7F), beat(last=1)], 1, [beat(), beat(), beat(keep=0x7F, last=1)]),
    ("t_keep_low", [beat(), beat(keep=0b1011, last=1)], 1, [beat(), beat(keep=0b111, last=1)]),
    ("t_keep_low", [beat(keep=0b10, last=1)], 0, [beat(keep=0b1, last=1)]),
    ("t_keep_some", [beat(keep=0, last=1)], 0, [beat(keep=1, last=1)]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "bad", "edge", "good"), CASES)
def test_a_trace_that_breaks_one_rule(rule: str, bad: list[Levels], edge: int, good: list[Levels]) -> None:
    found = run(bad).violations
    assert [(v.rule.name, v.port, v.cycle) for v in found] == [(rule, NAME, len(QUIET) + edge)]
    kept = run(good)
    assert kept.violations == []
    assert kept.tried[rule] > 0


def test_valid_in_reset_and_at_its_end() -> None:
    # The levels before the first edge of a reset may be any: a synchronous reset works at it.
    found = run([], quiet=[{"reset": 1}, {"reset": 1} | offered(), {}]).violations
    assert [(v.rule.name, v.cycle) for v in found] == [("t_reset_low", 1)]
    found = run([], quiet=[{"reset": 1}, {"reset": 1}, beat(last=1)]).violations
    assert [(v.rule.name, v.cycle) for v in found] == [("t_reset_end", 2)]
    assert run([beat(last=1)], quiet=[{"reset": 1} | offered(), {"reset": 1}, {}]).violations == []


def test_a_reset_may_take_a_beat_back() -> None:
    assert run([offered(), {"reset": 1}, {"reset": 1}, {}, beat(3, last=1)]).violations == []


def test_every_rule_names_its_section_and_has_a_trace_that_breaks_it() -> None:
    of_streams = {name: rule for name, rule in rules_by_name().items() if name.startswith("t_")}
    assert {case[0] for case in CASES} | {"t_reset_low", "t_reset_end"} == set(of_streams)
    for rule in of_streams.values():
        assert rule.section.startswith("IHI0051A-2.")


def test_a_report_names_rule_cycle_and_stream() -> None:
    text = str(run([offered(), {}]).violations[0])
    assert text == "AXI rule broken on m_axis_store_t in cycle 4: IHI0051A-2.2.1 TVALID stays until TREADY"
