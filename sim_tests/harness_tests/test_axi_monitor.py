"""The rules in a session: what a design breaks, and what it could have broken."""

from __future__ import annotations

import pytest

from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.harness_tests import axi_mover as mover
from tilewright.sim_tests.harness_tests.axi_mover import build_mover, move, session, set_up


@pytest.mark.parametrize(
    ("fault", "settings", "rule", "channel"),
    [
        (mover.AR_WITHDRAWN, {"stalls": {"ar": 0.9}}, "A3.2.1 valid stays until ready", "ar"),
        (mover.AR_CHANGES, {"stalls": {"ar": 0.9}}, "A3.2.1 payload stable", "ar"),
        (mover.EARLY_LAST, {}, "A3.4.1 W has length beats", "w"),
        (mover.NO_LAST, {}, "A3.2.2 wlast on the last beat", "w"),
        (mover.ALL_STROBES, {}, "A3.4.4 strobes only in lanes", "w"),
    ],
)  # fmt: skip
def test_faults_of_the_manager(fault: int, settings: dict[str, object], rule: str, channel: str) -> None:
    with session(**settings) as s:
        set_up(s, bursts=2, length=2, size=2, fault=fault)
        s.write(mover.CONTROL, 1)
        with pytest.raises(SimulationFailed) as caught:
            s.wait_interrupt(1000)
        assert caught.value.reason.startswith(f"AXI rule broken on m_axi_{channel} in cycle {s.cycle - 1}: {rule}")
        assert (caught.value.cycle, caught.value.stream) == (s.cycle - 1, f"m_axi_{channel}")
        assert str(s.violations()[0]) == caught.value.reason


def test_fault_of_the_registers() -> None:
    message = r"s_axi_b in cycle [0-9]+: B1.1.1 AXI4-Lite has no EXOKAY"
    with session() as s, pytest.raises(SimulationFailed, match=message):
        set_up(s, fault=mover.LITE_EXOKAY)


def test_breaches_can_be_collected() -> None:
    with AxiSession(build_mover(), stop=False) as s:
        move(s, bursts=3, length=2, fault=mover.NO_LAST)
        found = s.violations()
        assert [v.rule.name for v in found] == ["wlast_set"] * 3
        assert [v.cycle - found[0].cycle for v in found] == [0, 2, 4]


def test_coverage_counts_what_could_have_been_broken() -> None:
    with session() as s:
        move(s, bursts=3, length=4)
        tried = s.coverage()
        assert (tried["page"], tried["wlast_set"], tried["w_beats"], tried["rlast_set"], tried["r_beats"]) == (
            6,
            3,
            9,
            3,
            9,
        )
        assert tried["wrap_length"] == tried["b_id"] == 0
        move(s, bursts=1, length=4, burst=2)
        assert s.coverage()["wrap_length"] == 2
