from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.run_progress import on_a_terminal, run_progress
from tilewright.sim_tests.fpga.host.engines import INTEGERS, accelerator
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.harness.axi_memory import AxiMemory

A, B = np.arange(9).reshape(3, 3), np.arange(6).reshape(3, 2)


class Terminal(io.StringIO):
    """A terminal that keeps what it shows."""

    def isatty(self) -> bool:
        return True


def test_a_long_run_tells_how_far_it_is() -> None:
    with accelerator(INTEGERS, settings=AxiMemory(latency=30_000)) as slow:
        assert not slow.progress
        transport: Any = slow.transport
        told: list[int] = []
        transport.told = told.append
        assert np.array_equal(slow.matmul(A, B), A @ B)
        assert slow.last is not None and len(told) == slow.last.counts["cycles"] // (1 << 16) >= 1
        assert told == sorted(told)


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert on_a_terminal()
    transport = SimpleNamespace(told=None)
    with pytest.raises(ZeroDivisionError), run_progress(transport, 1234, shown=True):
        transport.told(600)
        transport.told(10**9)
        _ = 1 / 0
    assert transport.told is None
    assert "simulating about 1,234 cycles" in terminal.getvalue()
    monkeypatch.setenv("TERM", "dumb")
    assert not on_a_terminal()


def test_nothing_is_shown_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    for transport, shown in ((SimpleNamespace(told=None), False), (SimpleNamespace(), True)):
        with run_progress(transport, 10, shown=shown):
            assert getattr(transport, "told", None) is None
    assert capsys.readouterr() == ("", "")


def test_a_timeout_is_one_of_the_whole_run() -> None:
    with accelerator(INTEGERS, settings=AxiMemory(latency=500_000_000), timeout=0.5) as slow:
        slow.link.write("watchdog", 0)
        with pytest.raises(SimulationFailed, match=r"no answer after 0\.5 s of wall time"):
            slow.matmul(A, B)
        with pytest.raises(SimulationFailed, match=r"it did not answer for 0\.5 s; make another one"):
            slow.matmul(A, B)
