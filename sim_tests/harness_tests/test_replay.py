"""A failed run comes back, with a waveform, from the one line that it printed."""

import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tilewright.sim_tests.harness import Limits, Run, SimulationFailed, Stall, pack
from tilewright.sim_tests.harness.recording import KEPT, Recording, keep
from tilewright.sim_tests.harness.replay import main, replay
from tilewright.sim_tests.harness.waves import signals
from tilewright.sim_tests.harness_tests.designs import build_buffer, build_plain, build_wires

BEATS = pack(np.arange(50), 8)


def wrong_run() -> Run:
    wanted = BEATS.copy()
    wanted[20] ^= 1
    stall = Stall(0.2, 0.05, (2, 9), wait_for_valid=True, seed=4)
    run = Run(build_buffer(), 1234).send("i", BEATS[:30], stall=0.3).send("i", BEATS[30:], after={"o": 7})
    return run.expect("o", wanted, stall=stall).limits(Limits(reset=6, linger=3))


def test_the_printed_line_replays_the_failure() -> None:
    with pytest.raises(SimulationFailed) as caught:
        wrong_run().execute()
    command = re.search(r"\nreplay: (.*)$", str(caught.value))
    assert command
    done = subprocess.run(shlex.split(command[1]), capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    first, waveform, viewer = done.stdout.splitlines()
    assert first.startswith("seed 1234, ") and first.endswith(caught.value.reason)
    vcd, gtkw = Path(waveform.removeprefix("waveform: ")), Path(viewer.removeprefix("open with: gtkwave "))
    assert vcd.stat().st_size > 1000
    assert gtkw.read_text().splitlines()[0] == f'[dumpfile] "{vcd}"'


def test_a_recording_is_the_run(tmp_path: Path) -> None:
    run = wrong_run().reset(15, 2)
    run.save(tmp_path / "a.zip")
    loaded = Recording.load(tmp_path / "a.zip")
    assert loaded.plan.script(loaded.spec.interface) == run.plan.script(run.build.interface)
    assert loaded.spec == run.build.spec
    wanted = loaded.plan.streams[1].wanted
    assert wanted is not None and np.array_equal(wanted, BEATS ^ (np.arange(50) == 20)[:, None])
    loaded.save(tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_plain_inputs_masks_and_groups_are_recorded(tmp_path: Path) -> None:
    run = Run(build_plain()).set("offset", 2**69 + 5).groups({"all": ["*.offset", "*.moved"]})
    run.save(tmp_path / "a.zip")
    done = replay(Recording.load(tmp_path / "a.zip"), tmp_path / "a.vcd")
    assert done.finding is None
    assert done.result.outputs["moved"] == 2**69 + 6
    text = done.gtkw.read_text()
    assert "-all" in text and "dut.offset[69:0]" in text and "dut.moved[70:0]" in text


def test_default_groups_are_the_streams(tmp_path: Path) -> None:
    run = Run(build_wires()).send("a", BEATS[:3]).expect("x", BEATS[:3])
    done = replay(run.recording(), tmp_path / "w.vcd")
    lines = done.gtkw.read_text().splitlines()
    for name in ("a", "x", "b", "y"):
        start, end = (place for place, line in enumerate(lines) if line == f"-{name}")
        group = [line.rpartition(".")[2] for line in lines[start + 1 : end] if "." in line]
        assert group == [f"{name}_valid", f"{name}_ready", f"{name}_data[7:0]"]
    known = {wave.label for wave in signals(done.vcd)}
    assert all(line in known for line in lines if "dut." in line)


def changes(vcd: Path, name: str) -> dict[int, str]:
    """Time to value, for one signal."""
    header, _, body = vcd.read_text().partition("$enddefinitions $end")
    found = re.search(rf"\$var wire +\d+ (\S+) {name}\b", header)
    assert found
    time, values = 0, {}
    for line in body.split("\n"):
        if line.startswith("#"):
            time = int(line[1:])
        elif line.startswith("b") and line.endswith(f" {found[1]}"):
            values[time] = line.split()[0][1:]
        elif line and line[0] in "01" and line[1:] == found[1]:
            values[time] = line[0]
    return values


def test_the_waveform_shows_cycles_where_they_are(tmp_path: Path) -> None:
    run = Run(build_buffer()).send("i", BEATS[:1], not_before=5).expect("o", BEATS[:1]).limits(Limits(reset=4))
    vcd = replay(run.recording(), tmp_path / "w.vcd").vcd
    edge = 10 * (5 + 4 + 1)  # rising edge of cycle 5
    valid = changes(vcd, "i_valid")
    assert {time: level for time, level in valid.items() if time > 1} == {edge - 9: "1", edge + 1: "0"}
    assert changes(vcd, "o_valid")[edge] == "1"
    assert changes(vcd, "rst")[41] == "0"
    assert changes(vcd, "clk")[edge] == "1" and changes(vcd, "clk")[edge - 5] == "0"
    assert int(changes(vcd, "cycle")[edge - 9], 2) == 5


def test_a_window_of_cycles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Run(build_buffer()).send("i", BEATS).expect("o", BEATS).save(tmp_path / "r.zip")
    arguments = [str(tmp_path / "r.zip"), "-o", str(tmp_path / "out" / "w.vcd"), "--first", "10", "--last", "12"]
    assert main(arguments) == 0
    assert "passed" in capsys.readouterr().out
    times = [int(line[1:]) for line in (tmp_path / "out" / "w.vcd").read_text().splitlines() if line.startswith("#")]
    assert min(times) == 10 * (10 + 4) + 1 and max(times) == 10 * (12 + 4 + 1)


def test_what_cannot_be_replayed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "junk").write_text("junk")
    assert main([str(tmp_path / "junk")]) == 2
    assert main([str(tmp_path / "nothing")]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert errors == [f"{tmp_path}/junk is not a recorded run", f"there is no recorded run {tmp_path}/nothing"]


def test_only_the_latest_failures_are_kept(tmp_path: Path) -> None:
    made = build_buffer()
    for seed in range(1, KEPT + 4):
        keep(Run(made, seed).recording())
    assert len(list((tmp_path / "failures").iterdir())) == KEPT


def test_the_same_failure_may_be_kept_by_many_at_once(tmp_path: Path) -> None:
    recording = wrong_run().recording()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: recording.save(tmp_path / "a.zip"), range(64)))
    assert [path.name for path in tmp_path.glob("*a.zip*")] == ["a.zip"]
    assert Recording.load(tmp_path / "a.zip").spec == recording.spec


def test_an_interrupt_leaves_the_old_waveform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = wrong_run()
    run.save(tmp_path / "a.zip")
    drawn = replay(Recording.load(tmp_path / "a.zip"), tmp_path / "a.vcd")
    before = {path.name: path.read_bytes() for path in (drawn.vcd, drawn.gtkw)}

    def interrupted(*words: object, trace: tuple[str, str, str]) -> None:
        Path(trace[0]).write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr(f"{replay.__module__}.execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replay(Recording.load(tmp_path / "a.zip"), tmp_path / "a.vcd")
    assert {path.name: path.read_bytes() for path in (drawn.vcd, drawn.gtkw)} == before
    assert not list(tmp_path.glob(".*"))
