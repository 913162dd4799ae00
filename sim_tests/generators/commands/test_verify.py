"""`tilewright verify` from outside."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tilewright.generators.cache_folder import cache_folder
from tilewright.generators.commands.app import run
from tilewright.generators.commands.verify import NAMES, _subject
from tilewright.generators.config.presets import preset
from tilewright.generators.emit.engine_files import generate_engine
from tilewright.sim_tests.harness.waves import signals
from tilewright.sim_tests.system.engine_designs import EngineDesign, gate_engines
from tilewright.sim_tests.verify.cores import SMALL, claim, edit, folder_of
from tilewright.sim_tests.verify.engine_subject import EngineSubject
from tilewright.sim_tests.verify.engine_tests import PRODUCTS
from tilewright.sim_tests.verify.note import Note
from tilewright.sim_tests.verify.subject import from_folder
from tilewright.sim_tests.verify.tests import TESTS

PROGRAM = [sys.executable, "-c", "from tilewright.generators.cli import main; main()"]
FAULT = ("total = sum_in + ", "total = sum_in - ")
"""Right, wrong."""


@pytest.fixture
def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEWRIGHT_FAILURES", str(tmp_path / "failures"))
    return folder_of(SMALL, tmp_path / "core")


def replay_words(printed: str) -> list[str]:
    """The words after the program's name of the one line that replays a failure."""
    (line,) = re.findall(r"^replay: (.*)$", printed, re.M)
    program, *words = shlex.split(line)
    assert program == "tilewright"
    return words


def test_a_right_core_passes(core: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(core), "--seed", "3", "--junit", str(core.parent / "r.xml")]) == 0
    told = capsys.readouterr().out
    assert "12 tests, 0 failed; compared " in told
    assert "; seed 3" in told
    assert "replay" not in told and "not as it was generated" not in told
    suite = ElementTree.parse(core.parent / "r.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("12", "0")
    assert not (core.parent / "failures").exists()


def test_a_planted_fault_is_found_and_its_line_replays_it(core: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(core / "tilewright_gemm.v", *FAULT)
    assert run(["verify", str(core), "--tests", "smoke", "--junit", str(core.parent / "r.xml")]) == 1
    told = capsys.readouterr().out
    assert "tilewright_gemm.v is not as it was generated" in told
    (reason,) = re.findall(r"^smoke failed: (.*)$", told, re.M)
    assert "C[0, 0]: expected" in reason
    assert ElementTree.parse(core.parent / "r.xml").getroot()[0].get("failures") == "1"

    edit(core / "tilewright_gemm.v", *FAULT[::-1])  # the recording has the fault
    done = subprocess.run([*PROGRAM, *replay_words(told)], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert f"failed again: {reason}" in done.stdout.splitlines()
    vcd = Path(re.findall(r"^waveform: (.*)$", done.stdout, re.M)[0])
    save = Path(shlex.split(re.findall(r"^open with: (.*)$", done.stdout, re.M)[0])[1])
    groups = re.findall(r"^-(.+)\n((?:.*\n)*?)@\d+\n-\1$", save.read_text(), re.M)
    assert [name for name, _ in groups] == ["control", "operands", "partial sums", "loads and read-outs"]
    waves = {wave.label for wave in signals(vcd)}
    for (name, body), wanted in zip(
        groups,
        ("dut.command_tvalid", "pe[3].unit.held[7:0]", "pe[3].unit.sum_out[17:0]", "dut.read_c_beats_tdata[127:0]"),
        strict=True,
    ):
        listed = [line for line in body.splitlines() if line.startswith("tilewright_bench.")]
        assert set(listed) <= waves
        assert any(line.endswith(wanted) for line in listed), name


def test_a_wrong_cycle_is_reproduced_and_a_fault_that_is_gone_told_so(
    core: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Its sums are wrong too, which no cycle tells: the simulators are those of the test above.
    edit(core / "tilewright_gemm.v", *FAULT)
    claim(core, pipeline=2)
    assert run(["verify", str(core), "--tests", "cycles", "--json"]) == 1
    (test,) = json.loads(capsys.readouterr().out)["tests"]
    assert not test["passed"]
    recording = Path(shlex.split(test["replay"])[-1])
    assert run(["verify", "--replay", str(recording), "--json"]) == 1
    again = json.loads(capsys.readouterr().out)
    assert again["reason"] == again["recorded"] == test["reason"]
    assert Path(again["vcd"]).is_file() and Path(again["gtkw"]).is_file()

    right = core.parent / "right.zip"
    with zipfile.ZipFile(recording) as old, zipfile.ZipFile(right, "w") as new:
        for name in old.namelist():
            if name != "verify.json":
                new.writestr(name, old.read(name))
    Note(SMALL, preset(SMALL).config, "cycles", 1).add_to(right)
    assert run(["verify", "--replay", str(right)]) == 0
    assert f"passed now; recorded because: {test['reason']}" in capsys.readouterr().out.splitlines()
    unknown = core.parent / "unknown.zip"
    right.rename(unknown)
    with zipfile.ZipFile(unknown, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        about = json.loads(archive.read("verify.json"))
        archive.writestr("verify.json", json.dumps(about | {"test": "gone"}))
    assert run(["verify", "--replay", str(unknown)]) == 2
    assert "is of another version: there is no test 'gone'" in capsys.readouterr().err


def test_a_preset_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "--preset", SMALL, "--tests", "cycles, smoke,smoke", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["subject"], told["seed"], told["passed"], told["edited"]) == (SMALL, 1, True, [])
    assert [test["name"] for test in told["tests"]] == ["cycles", "smoke"]
    assert told["tests"][0]["cycles_compared"] > 0 and told["tests"][1]["compared"] > 0


def test_verilog_that_is_none_is_told(core: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(core / "tilewright_gemm.v", "total = sum_in + ", "total = sum_in + + * ")
    assert run(["verify", str(core)]) == 1
    err = capsys.readouterr().err
    assert err.startswith("error: Verilator refused tilewright_gemm")
    assert "\n%Error: tilewright_gemm.v:" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "verify must be given one of DIR, --preset NAME and --replay FILE"),
        (["{core}", "--preset", SMALL], "verify must be given one of DIR, --preset NAME and --replay FILE"),
        (["--preset", "ws-4x4-int"], f"preset 'ws-4x4-int' does not exist; nearest is '{SMALL}'"),
        (
            ["{core}", "--seed", "0"],
            "seed must be a whole number 1..2147483647, got '0'; nearest legal value is 1",
        ),
        (
            ["{core}", "--seed", "2147483648"],
            "seed must be a whole number 1..2147483647, got '2147483648'; nearest legal value is 2147483647",
        ),
        (["{core}", "--tests", "smok"], "test 'smok' does not exist; nearest is 'smoke'"),
        (["{core}", "--tests", ""], "test '' does not exist; nearest is 'sums'"),
        (["{core}", "--junit", "{core}"], "--junit must be a file, got the folder '{core}'; nearest legal value is "),
        (["{core}", "--junit", "/proc/none/r.xml"], "--junit must be a file in a folder that can be written, got "),
        (["{core}", "--seed", "9" * 5000], "seed must be a whole number 1..2147483647, got '999"),
        (["{core}", "--junit", "/dev/null"], "--junit must be an ordinary file, got the pipe or device '/dev/null'; "),
        (
            ["--replay", "/dev/zero"],
            "the recorded run /dev/zero cannot be read: it is a device, not an ordinary file",
        ),
        (["--replay", "{core}"], "the recorded run {core} cannot be read: it is a folder, not an ordinary file"),
        (["--replay", "{core}/manifest.json"], "{core}/manifest.json is not a recorded run"),
        (["--replay", "{core}/none"], "there is no recorded run {core}/none"),
        (["{core}/none"], "DIR must be a folder that tilewright systolic or engine has written, got '{core}/none', "),
    ],
)
def test_bad_input(core: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    before = sorted(core.parent.rglob("*"))
    assert run(["verify", *(word.format(core=core) for word in words)]) == 2
    out, err = capsys.readouterr()
    (line,) = err.splitlines()
    assert line.startswith(f"error: {sentence.format(core=core)}")
    assert out == ""
    assert sorted(core.parent.rglob("*")) == before


def test_an_interrupt_leaves_no_process_and_no_report(core: Path) -> None:
    edit(core / "tilewright_gemm.v", "total = sum_in + ", f"total = {time.time_ns() % 1000} + sum_in + ")  # a new build
    unfinished = cache_folder() / "unfinished"
    before = set(unfinished.glob("*"))
    report = core.parent / "r.xml"
    words = [*PROGRAM, "verify", str(core), "--junit", str(report)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        mine = f"-{process.pid}"
        deadline = time.monotonic() + 60
        while not [path for path in unfinished.glob(f"*{mine}") if path not in before]:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "")
    assert not list(unfinished.glob(f"*{mine}"))
    assert not list(report.parent.glob("*r.xml*"))


def test_the_help_names_all_tests() -> None:
    assert list(NAMES) == list(TESTS)


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """One of those that the gate builds."""
    files = generate_engine(gate_engines()["any_3x5"].config)
    folder = tmp_path / "engine"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_right_engine_passes(engine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(engine), "--junit", str(engine.parent / "r.xml")]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^1 test, 0 failed; compared [\d,]+ values; seed 1$", told, re.M)
    suite = ElementTree.parse(engine.parent / "r.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "0")
    assert run(["verify", str(engine), "--json"]) == 0
    (test,) = json.loads(capsys.readouterr().out)["tests"]
    assert (
        test["name"] == "random" and test["commands"] >= PRODUCTS and test["compared"] > 5000 and test["cycles"] > 5000
    )


def test_a_wrong_engine_fails_with_the_line_that_replays_it(
    engine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(design: EngineDesign, seed: int, products: int) -> None:
        with design.session() as session:
            raise session.failure(f"{products} are wrong with seed {seed}")

    monkeypatch.setattr("tilewright.sim_tests.verify.engine_tests.run_engine", wrong)
    assert run(["verify", str(engine), "--seed", "7"]) == 1
    told = capsys.readouterr().out
    assert f"random failed: engine_any_3x5, seed 1: {PRODUCTS} are wrong with seed 7\nreplay: " in told


def test_what_an_engine_is_not_verified_for(engine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(engine), "--tests", "smoke"]) == 2
    assert "test 'smoke' does not exist; nearest is 'random'" in capsys.readouterr().err
    file = engine / "engine_any_3x5.v"
    file.write_text(file.read_text() + "// mine\n")
    assert from_folder(engine).edited == (file.name,)
    assert isinstance(_subject(None, "engine-4x4-int8-32bit"), EngineSubject)
