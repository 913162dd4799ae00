"""Several manager ports on one memory."""

from __future__ import annotations

import pytest

from tilewright.sim_tests.harness import Interface, InterfaceError
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness.axi_plan import AxiPlan
from tilewright.sim_tests.harness.axi_ports import axi_lite_ports, axi_ports
from tilewright.sim_tests.harness_tests.axi_mover import session
from tilewright.sim_tests.system.engine_designs import core_engine

PLAN = AxiPlan(4096, 0, 1, "m_axi", "s_axi", None, {}, 1, True)
WIDTH = {"address_bits": 32, "data_bits": 64}


def interface(*names: str) -> Interface:
    """A design with such manager ports, and registers."""
    streams = [stream for name in names for stream in axi_ports(name, **WIDTH)]
    return Interface("top", (*streams, *axi_lite_ports(address_bits=8)))


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("m_axi",), ["m_axi"]),
        (("m_axi_0",), ["m_axi_0"]),
        (("m_axi_0", "m_axi_1", "m_axi_2"), ["m_axi_0", "m_axi_1", "m_axi_2"]),
        ((), []),
    ],
)
def test_ports_are_found_by_name_and_number(names: tuple[str, ...], found: list[str]) -> None:
    assert PLAN.managers(interface(*names)) == found
    assert [port.name for port in PLAN.ports(interface(*names))] == [*found, "s_axi"]


def test_a_gap_in_the_numbers_is_refused() -> None:
    with pytest.raises(InterfaceError, match="stream m_axi_2_ar of top belongs to no AXI port"):
        PLAN.setup(interface("m_axi_0", "m_axi_2"))


def test_ports_draw_each_by_itself() -> None:
    settings = AxiMemory(jitter=5, stalls={"r": 0.5})
    first, second = (settings.command(3, port).split() for port in (0, 1))
    assert (first[:2], second[:2]) == (["configure", "0"], ["configure", "1"])
    assert len(first) == len(second) and sum(a != b for a, b in zip(first, second, strict=True)) >= 3
    assert settings.command(3) == settings.command(3, 0)


def test_a_port_that_does_not_exist_is_refused() -> None:
    with session() as s:
        s.configure(AxiMemory(), 0)
        for call in (lambda: s.configure(AxiMemory(), 1), lambda: s.counters(-1)):
            with pytest.raises(InterfaceError, match=r"^a manager port of mover must be 0..0, got (1|-1)$"):
                call()


def test_settings_and_counters_are_those_of_a_port_or_of_all() -> None:
    """The engine's program comes through port 0; the memory holds back one of three ports."""
    with core_engine().session(AxiMemory(), memory_bytes=4096) as s:
        s.configure(AxiMemory(hold_reads=True), 0)
        s.write(0x58, 1)  # program_count
        s.write(0x40, 1)  # control
        s.run(50)
        alone = [s.counters(port) for port in range(3)]
        assert [counts["read_bursts"] for counts in alone] == [1, 0, 0]
        assert s.counters() == {name: sum(counts[name] for counts in alone) for name in alone[0]}
        assert s.counters()["open_reads"] == 1 and s.counters()["read_beats"] == 0
        s.configure(AxiMemory(), 0)
        s.run(50)
        assert s.counters(0)["read_beats"] == 8
