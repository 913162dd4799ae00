"""A failed session comes back, with a waveform, from the one line that it printed."""

import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.harness.axi_memory import AxiMemory
from tilewright.sim_tests.harness.axi_recording import extents
from tilewright.sim_tests.harness.axi_replay import main, replay
from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.harness.waves import signals
from tilewright.sim_tests.harness_tests import axi_mover as mover
from tilewright.sim_tests.harness_tests.axi_mover import build_mover, move, set_up

SETTINGS = AxiMemory(7, 5, stalls={"ar": 0.3, "w": 0.2}, seed=9)


def failing(s: AxiSession) -> SimulationFailed:
    """A session whose end depends on all that a recording holds."""
    s.memory[:256] = np.arange(256)
    move(s, bursts=3, length=4)
    s.load(0x100, np.full(8, 0x8000, np.int64))
    s.run(13)
    s.configure(SETTINGS)
    set_up(s, bursts=3, length=4, fault=mover.NO_LAST)
    s.write(mover.CONTROL, 1, order="w first", delay=3)
    with pytest.raises(SimulationFailed) as caught:
        s.wait_interrupt(1000)
    return caught.value


def test_the_printed_line_replays_the_failure() -> None:
    with AxiSession(build_mover(), seed=77, settings=AxiMemory(3)) as s:
        found = failing(s)
    command = re.search(r"\nreplay: (.*)$", str(found))
    assert command
    done = subprocess.run(shlex.split(command[1]), capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    replayed, recorded, waveform, viewer = done.stdout.splitlines()
    assert replayed == f"replayed: {found.reason}"
    assert recorded == f"recorded because: {found.reason}"
    vcd, gtkw = Path(waveform.removeprefix("waveform: ")), Path(viewer.removeprefix("open with: gtkwave "))
    names = {wave.name.rpartition(".")[2] for wave in signals(vcd)}
    assert {"m_axi_araddr", "cycle", "aresetn"} <= names
    assert gtkw.read_text().splitlines()[0] == f'[dumpfile] "{vcd}"'


def test_the_memory_is_part_of_the_recording(tmp_path: Path) -> None:
    with AxiSession(build_mover(), base=0x4000_0000) as s:
        s.memory[:64] = np.arange(64)
        source = 0x4000_0000
        move(s, source=source, target=source + 0x1000, length=4)
        s.load(source + 0x2000, bytes(range(100, 132)))
        move(s, source=source + 0x2000, target=source + 0x1000 + 32, length=4)
        wanted = s.memory.copy()
        failure = s.failure("wrong bytes")
    assert failure.recording and failure.reason == "wrong bytes"
    seen: list[NDArray[np.uint8]] = []
    found, reason = replay(failure.recording, tmp_path / "a.vcd", seen.append)
    assert found is None and reason == "wrong bytes"
    assert np.array_equal(seen[0], wanted)
    assert main([str(failure.recording), "-o", str(tmp_path / "b.vcd")]) == 1


def test_edges_lie_where_the_waveform_has_them(tmp_path: Path) -> None:
    with AxiSession(build_mover(), trace=tmp_path / "a.vcd") as s:
        start, end = move(s)
    text = (tmp_path / "a.vcd").read_text()
    name = re.search(r"\$var wire +1 (\S+) irq\b", text)
    assert name
    before, _, _ = text.rpartition(f"\n1{name[1]}\n")
    # It rises at the edge before the one at which it is first high.
    assert int(before.rpartition("\n#")[2].split()[0]) == 10 * (end - 1 + s.plan.reset + 1)
    assert end > start


def test_parts_of_a_sparse_file_that_hold_something(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 24)
    with path.open("r+b") as file:
        assert extents(file.fileno()) == []
        for place in (1 << 16, (1 << 24) - 4):
            file.seek(place)
            file.write(b"abcd")
        file.flush()
        found = extents(file.fileno())
        assert found is not None
        whole = bytearray(1 << 24)
        for start, data in found:
            whole[start : start + len(data)] = data
        assert bytes(whole) == path.read_bytes()
        assert extents(file.fileno(), 100) is None


def test_a_memory_that_holds_too_much_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.sim_tests.harness.axi_recording.MOST_KEPT", 4096)
    with AxiSession(build_mover()) as s:
        s.memory[:] = 1
        s.run(1)
        failure = s.failure("wrong")
    assert failure.recording is None
    assert str(failure).endswith("replay: none, the memory holds too much")


def test_what_cannot_be_replayed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "junk").write_text("junk")
    assert main([str(tmp_path / "junk")]) == 2
    assert main([str(tmp_path / "nothing")]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert errors[0] == f"{tmp_path}/junk is not a recorded session"
    assert errors[1].startswith(f"the recorded session {tmp_path}/nothing cannot be read: ")
