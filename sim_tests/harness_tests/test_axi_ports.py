"""What is an AXI port of a design, and what is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.sim_tests.harness import InterfaceError, StreamPort
from tilewright.sim_tests.harness.axi_ports import AxiPort, axi_lite_ports, axi_ports
from tilewright.sim_tests.harness_tests.axi_traces import LITE, PLAIN


@pytest.mark.parametrize(
    ("streams", "lite", "message"),
    [
        (PLAIN[1:], False, "port m has no stream m_ar; streams are m_r, m_aw, m_w, m_b"),
        (PLAIN, True, "stream m_aw must be an input with valid and ready: m is an AXI4-Lite subordinate"),
        ([replace(PLAIN[0], signals=PLAIN[0].signals[1:]), *PLAIN[1:]], False, "m_ar has no signal m_araddr"),
        ([*PLAIN[:3], replace(PLAIN[3], signals=(("m_wuser", 1), *PLAIN[3].signals)), PLAIN[4]], False,
         "m_wdata must begin at a whole byte and have one of .* bits, got 64 at 1"),
    ],
)  # fmt: skip
def test_ports_that_cannot_be_driven(streams: list[StreamPort], lite: bool, message: str) -> None:
    with pytest.raises(InterfaceError, match=message):
        AxiPort.find(streams, "m", lite=lite)


def test_widths_of_ports() -> None:
    with pytest.raises(InterfaceError, match=r"data_bits must be one of .*, got 100; nearest is 128"):
        axi_ports(address_bits=32, data_bits=100)
    with pytest.raises(InterfaceError, match=r"address_bits must be 1..64, got 65; nearest is 32"):
        axi_lite_ports(address_bits=65)
    names = [port for stream in PLAIN for port in stream.ports]
    assert len(names) == len(set(names)) == 6 * 2 + 3 + 3 + 1 + 10
    assert [stream.direction for stream in PLAIN] == ["out", "in", "out", "out", "in"]
    assert [stream.direction for stream in LITE] == ["in", "out", "in", "in", "out"]
