"""Every rule of AXI, broken by a trace that breaks nothing else, and kept by one that is nearly the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from tilewright.sim_tests.harness import HarnessError, StreamPort
from tilewright.sim_tests.harness.axi_ports import axi_lite_ports
from tilewright.sim_tests.harness.axi_rules import UNSEEN, check_trace, rules, rules_by_name, rules_text
from tilewright.sim_tests.harness_tests.axi_traces import (
    FIXED,
    LITE,
    LOCKED,
    NAMED,
    PLAIN,
    QUIET,
    S_READ,
    S_WRITE,
    WRAP,
    Levels,
    Trace,
    ar,
    aw,
    b,
    beat,
    held,
    offered,
    r,
    read,
    run,
    w,
    write,
)

#: Rule, ports, a trace that breaks it (in which channel, how many edges after the quiet ones), one that keeps it.
CASES: list[tuple[str, Iterable[StreamPort], Trace, str, int, Trace]] = [
    ("valid_stays", PLAIN, [held("m_ar", len=0, size=3, burst=1), {}], "ar", 1,
     [held("m_ar", size=3, burst=1), *read(ar())]),
    ("payload_stable", PLAIN, [held("m_ar", size=3, burst=1), *read(ar(8))], "ar", 1,
     [held("m_ar", size=3, burst=1, addr=8), *read(ar(8))]),
    ("page", PLAIN, read(ar(0xFF8, len=1), 2), "ar", 0, read(ar(0xFF0, len=1), 2)),
    ("burst_reserved", PLAIN, read(ar(burst=3)), "ar", 0, read(ar())),
    ("wrap_length", PLAIN, read(ar(burst=WRAP, len=2), 3), "ar", 0, read(ar(burst=WRAP, len=3), 4)),
    ("wrap_aligned", PLAIN, read(ar(4, burst=WRAP, len=1), 2), "ar", 0, read(ar(8, burst=WRAP, len=1), 2)),
    ("fixed_length", PLAIN, read(ar(burst=FIXED, len=16), 17), "ar", 0, read(ar(burst=FIXED, len=15), 16)),
    ("size_bus", PLAIN, read(ar(size=4)), "ar", 0, read(ar(size=3))),
    ("cache_reserved", PLAIN, read(ar(cache=0b0101)), "ar", 0, read(ar(cache=0b0111))),
    ("wlast_set", PLAIN, write(aw(len=1), w(last=0), w(last=0)), "w", 2, write(aw(len=1), w(last=0), w())),
    ("w_beats", PLAIN, write(aw(len=1), w(last=1)), "w", 1, write(aw(len=1), w(last=0), w())),
    ("strobe_lanes", PLAIN, write(aw(4, size=1), w(0x70)), "w", 1, write(aw(4, size=1), w(0x30))),
    ("b_after_aw", PLAIN, [w(), b()], "b", 1, [w(), aw(), b()]),
    ("b_after_w", PLAIN, [aw(len=1), w(last=0), held("m_b"), held("m_b") | w(), b()], "b", 2,
     [aw(len=1), w(last=0), w(), held("m_b"), b()]),
    ("r_after_ar", PLAIN, [ar() | held("m_r", last=1), r()], "r", 0, [ar(), held("m_r", last=1), r()]),
    ("rlast_set", PLAIN, [ar(len=1), r(last=0), r(last=0)], "r", 2, read(ar(len=1), 2)),
    ("r_beats", PLAIN, [ar(len=1), r(last=1)], "r", 1, read(ar(len=1), 2)),
    ("b_id", NAMED, [*write(aw(id=3), w(), id=2)], "b", 2, write(aw(id=3), w(), id=3)),
    ("r_id", NAMED, [ar(id=3), r(id=2)], "r", 1, [ar(id=3), r(id=3)]),
    ("exokay", NAMED, read(ar(), resp=1), "r", 1, read(ar(**LOCKED), id=2, resp=1)),
    ("exclusive_bytes", NAMED, read(ar(len=2, **LOCKED), 3, id=2), "ar", 0, read(ar(len=3, **LOCKED), 4, id=2)),
    ("exclusive_aligned", NAMED, read(ar(8, len=1, **LOCKED), 2, id=2), "ar", 0,
     read(ar(16, len=1, **LOCKED), 2, id=2)),
    ("exclusive_length", NAMED, read(ar(len=31, size=2, **LOCKED), 32, id=2), "ar", 0,
     read(ar(len=15, size=3, **LOCKED), 16, id=2)),
    ("exclusive_order", NAMED, [ar(**LOCKED), aw(**LOCKED), w(), r(id=2), b(id=2)], "aw", 1,
     [ar(**LOCKED), r(id=2), aw(**LOCKED), w(), b(id=2)]),
    ("exclusive_pair", NAMED, [*read(ar(8, **LOCKED), id=2), *write(aw(16, **LOCKED), w(), id=2)], "aw", 2,
     [*read(ar(8, **LOCKED), id=2), *write(aw(8, **LOCKED), w(), id=2)]),
    ("lite_exokay", LITE, [beat("s_ar"), beat("s_r", resp=1)], "r", 1, S_READ),
    ("r_after_ar", LITE, [beat("s_r")], "r", 0, S_READ),
    ("b_after_aw", LITE, [beat("s_w"), beat("s_b")], "b", 1, S_WRITE),
    ("b_after_w", LITE, [beat("s_aw"), beat("s_b")], "b", 1, S_WRITE),
    ("valid_stays", LITE, [held("s_aw"), {}], "aw", 1, [held("s_aw"), *S_WRITE]),
    ("payload_stable", LITE, [held("s_w", strb=1), *S_WRITE], "w", 1, [held("s_w", strb=15), *S_WRITE]),
]  # fmt: skip

STREAMS = "IHI0051A"
"""What the rules of AXI4-Stream begin with; see `test_axis_rules`."""

START: dict[str, Callable[[Levels], Trace]] = {
    # The levels before the first edge of a reset may be any: a synchronous reset works at it.
    "reset_low": lambda bad: [{"reset": 1}, {"reset": 1} | bad, {}],
    "reset_end": lambda bad: [{"reset": 1}, {"reset": 1}, bad],
}


@pytest.mark.parametrize(("rule", "ports", "bad", "channel", "edge", "good"), CASES)
def test_a_trace_that_breaks_one_rule(
    rule: str, ports: Iterable[StreamPort], bad: Trace, channel: str, edge: int, good: Trace
) -> None:
    found = run(bad, ports).violations
    assert [(v.rule.name, v.channel, v.cycle) for v in found] == [(rule, channel, len(QUIET) + edge)]
    kept = run(good, ports)
    assert kept.violations == []
    assert kept.tried[rule] > 0


@pytest.mark.parametrize("channel", ["m_ar", "m_aw", "m_w"])
@pytest.mark.parametrize("rule", START)
def test_valid_in_reset_and_at_its_end(rule: str, channel: str) -> None:
    bad = run([], quiet=START[rule](offered(channel))).violations
    assert [(v.rule.name, v.channel) for v in bad] == [(rule, channel[2:])]
    assert run([{"reset": 1} | beat(channel), {"reset": 1}, {}, {}], quiet=[]).violations == []


@pytest.mark.parametrize("channel", ["m_r", "m_b"])
def test_answers_in_reset(channel: str) -> None:
    found = run([], quiet=START["reset_low"](held(channel))).violations
    assert [(v.rule.name, v.channel, v.cycle) for v in found] == [("reset_low", channel[2:], 1)]


def test_width_of_a_lite_bus() -> None:
    for width in (32, 64):
        assert run(S_WRITE, axi_lite_ports("s", address_bits=12, data_bits=width)).violations == []
    found = run([], axi_lite_ports("s", address_bits=12, data_bits=128)).violations
    assert [v.rule.name for v in found] == ["lite_bus"]


def test_every_rule_that_is_checked_has_a_trace_that_breaks_it() -> None:
    broken = {case[0] for case in CASES} | set(START) | {"lite_bus"}
    assert broken == {name for name, rule in rules_by_name().items() if not rule.section.startswith(STREAMS)}


def test_the_rules_can_be_printed() -> None:
    lines = rules_text().splitlines()
    assert "A3.4.1 no burst crosses 4 KB" in lines
    assert lines[-1] == f"{len(rules_by_name())} of {len(rules())} rules checked"
    assert len(lines) == len(rules()) + 1 == len(rules_by_name()) + len(UNSEEN) + 1
    assert all(rule.remark for rule in UNSEEN) and not any(rule.remark for rule in rules_by_name().values())


@pytest.mark.parametrize("channel", ["m_ar", "m_aw", "m_w", "m_r", "m_b"])
def test_handshakes_of_every_channel(channel: str) -> None:
    begun = {"m_r": [ar()], "m_b": [aw(), w()]}.get(channel, [])
    offer = offered(channel)
    changed = {"m_ar": "addr", "m_aw": "addr", "m_w": "data", "m_r": "data", "m_b": "resp"}[channel]
    names = [v.rule.name for v in run([*begun, offer, {}]).violations]
    assert names == ["valid_stays"]
    names = [v.rule.name for v in run([*begun, offer, offer | {channel + changed: 2}]).violations]
    assert names == ["payload_stable"]
    assert run([*begun, offer, offer]).violations == []


def test_a_report_names_rule_cycle_and_channel() -> None:
    (found,) = run(read(ar(0xFF8, len=1), 2)).violations
    assert str(found) == (
        "AXI rule broken on m_ar in cycle 4: A3.4.1 no burst crosses 4 KB: "
        "address 0xff8, 2 beats of 8 bytes, burst type 1"
    )


def test_traces_name_signals_of_the_port() -> None:
    with pytest.raises(HarnessError, match="cycle 1 of the trace names m_arqos, which m does not have"):
        check_trace(PLAIN, "m", [{}, {"m_arqos": 1}])
