"""Ends of sessions: limits, broken rules of the design, dead and interrupted processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tilewright.sim_tests.harness import HarnessError, SimulationFailed, ledger
from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.harness.simulator_process import SimulatorProcess
from tilewright.sim_tests.harness_tests import axi_mover as mover
from tilewright.sim_tests.harness_tests.axi_mover import build_mover, session, set_up


def test_limits() -> None:
    with session() as s:
        set_up(s, fault=mover.NEVER_READY)
        at = s.cycle
        with pytest.raises(
            SimulationFailed, match=r"no end of the wait for the interrupt after the limit of 50 cycles"
        ):
            s.wait_interrupt(50)
        assert s.cycle == at + 50
        with pytest.raises(SimulationFailed, match=r"no end of the write of 0x1 to register 0x0 after the limit of 90"):
            s.write(mover.CONTROL, 1, limit=90)
        assert s.cycle == at + 140
        with pytest.raises(SimulationFailed, match="the read of register 0x4 came while another access had not ended"):
            s.read(mover.SOURCE)
        s.reset()
        s.read(mover.SOURCE)


def test_the_design_ends_the_simulation() -> None:
    with session() as s:
        set_up(s, fault=mover.FINISHES)
        with pytest.raises(SimulationFailed, match=r"the design ended the simulation in cycle [0-9]+: .*enough"):
            s.write(mover.CONTROL, 1)


def test_output_that_must_stay_zero() -> None:
    with session() as s:
        set_up(s, fault=mover.NOT_ZERO)
        seen = s.cycle + 2  # accepted in one cycle, done in the next, seen in the one after that
        with pytest.raises(
            SimulationFailed, match=f"output protocol_error is not 0 in cycle {seen} and must"
        ) as caught:
            s.write(mover.CONTROL, 1)
        assert (caught.value.stream, caught.value.cycle) == ("protocol_error", seen)


def test_the_dead_child_is_noticed() -> None:
    with session() as s:
        os.kill(s.pid, signal.SIGKILL)
        with pytest.raises(SimulationFailed, match=r"the simulation of mover broke off \(code -9\)"):
            s.run(10)
        with pytest.raises(SimulationFailed, match="broke off"):
            s.run(10)


def test_an_interrupted_call_ends_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(process: SimulatorProcess) -> str:
        raise KeyboardInterrupt

    with session() as s:
        monkeypatch.setattr(SimulatorProcess, "line", interrupted)
        with pytest.raises(KeyboardInterrupt):
            s.run(10**12)
        monkeypatch.undo()
        assert not _alive(s.pid)
        for _ in range(2):
            with pytest.raises(SimulationFailed, match="mover has ended, because it was interrupted; make another one"):
                s.run(1)


def test_wall_time_limit() -> None:
    with AxiSession(build_mover(), timeout=0.5) as s:
        with pytest.raises(SimulationFailed, match=r"no answer after 0.5 s"):
            s.run(10**12)
        with pytest.raises(SimulationFailed, match=r"it did not answer for 0\.5 s; make another"):
            s.run(1)


def test_the_child_ends_with_its_parent(tmp_path: Path) -> None:
    made = build_mover()
    text = (
        "from tilewright.sim_tests.harness_tests.axi_mover import build_mover\n"
        "from tilewright.sim_tests.harness.axi_session import AxiSession\n"
        "s = AxiSession(build_mover())\n"
        "print(s.pid, flush=True)\n"
        "s.run(10**12)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert parent.stdout and made.program.is_file()
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while _alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_session_that_has_ended() -> None:
    with session() as s:
        s.run(5)
    with pytest.raises(HarnessError, match="the session of mover has ended"):
        s.run(1)
    (entry,) = [entry for entry in ledger.entries() if entry["kind"] == "run"]
    assert entry["cycles"] == 5 + s.plan.reset
