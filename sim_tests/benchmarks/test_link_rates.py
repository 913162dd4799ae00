"""Usual rates are taken with a small error, or refused with nearest ones that can be had; a slow host is slow."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.fpga.boards.known import BOARDS
from tilewright.sim_tests.benchmarks.link_rates import RATES, rates
from tilewright.sim_tests.benchmarks.slow_wire import SlowWire


@pytest.mark.parametrize("name", BOARDS)
def test_rates(name: str) -> None:
    found = rates(BOARDS[name].clock_hz)
    assert found.taken + found.refused == len(RATES)
    assert 0 <= found.worst <= 1 and found.near == found.refused


def test_a_host_that_takes_a_millisecond_for_each_byte() -> None:
    class Session:
        def __init__(self) -> None:
            self.cycles, self.coming = 0, b"abc"

        def receive(self, count: int, cycles: int) -> bytes:
            self.cycles += cycles if count > 1 else 0
            came, self.coming = self.coming[:count], self.coming[count:]
            return came

    class Wire:
        session, sent = Session(), b""

        def send(self, data: bytes) -> None:
            self.sent += data

    wire: Any = Wire()
    slow = SlowWire(wire, 12_000_000)
    slow.send(b"xy")
    assert (wire.sent, wire.session.cycles) == (b"xy", 24_000)
    assert [slow.receive(10) for _ in range(3)] == [b"a", b"b", b"c"]
    assert wire.session.cycles == 5 * 12_000
