"""`tilewright demo` from outside, on small cores; the whole of it is `make sim`."""

from __future__ import annotations

import importlib
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tilewright.generators.commands.app import run
from tilewright.generators.config.presets import preset
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.demo.digits import TEST_IMAGES, Digits, digits
from tilewright.sim_tests.harness import tools
from tilewright.sim_tests.verify.cores import SMALL, files_of

PROGRAM = [sys.executable, "-c", "from tilewright.generators.cli import main; main()"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A small core, and as many images as fit it."""
    training, test = digits()
    few = Digits(test.images[:24], test.labels[:24])
    monkeypatch.setattr("tilewright.generators.commands.demo.PRESETS", (SMALL,))
    monkeypatch.setattr("tilewright.generators.demo.digits.digits", lambda: (training, few))
    monkeypatch.setenv("TILEWRIGHT_FAILURES", str(tmp_path / "failures"))


@pytest.mark.usefixtures("small")
def test_the_table_and_the_verilog(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "-o", str(tmp_path / "out")]) == 0
    told, err = capsys.readouterr()
    assert err.startswith(f"writing Verilog to {tmp_path / 'out'}, one folder a core\n")
    assert "24 handwritten digits" in told
    lines = [line.split() for line in told.splitlines()]
    assert [line for line in lines if line[:1] in (["configuration"], ["ok"], ["accumulators"], ["that"])] == [
        ["configuration", SMALL],
        ["ok"],
        ["accumulators", "1,008"],
        ["that", "differ", "0"],
    ]
    assert {file.name for file in (tmp_path / "out" / SMALL).iterdir()} >= {"tilewright_gemm.v", "manifest.json"}
    assert f"  {tmp_path / 'out' / SMALL / 'tilewright_gemm.v'}" in told.splitlines()
    assert f"verify one of them: tilewright verify {tmp_path / 'out' / SMALL}" in told.splitlines()


@pytest.mark.usefixtures("small")
def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "-o", str(tmp_path / "out"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["images"], told["passed"]) == (24, True)
    (core,) = told["configurations"]
    assert core["accumulators_compared"] == 24 * (32 + 10)
    assert core["accumulators_differing"] == 0
    assert core["cycles"] == core["predicted_cycles"]
    assert core["right_on_rtl"] == core["right_in_reference"] <= 24
    assert 0 < core["utilisation"] < 1


@pytest.mark.usefixtures("small")
def test_a_wrong_bit_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(_: SystolicConfig) -> Mapping[str, str]:
        files = dict(files_of(SMALL))
        files["tilewright_gemm.v"] = files["tilewright_gemm.v"].replace("total = sum_in + ", "total = sum_in - ")
        return files

    monkeypatch.setattr(importlib.import_module("tilewright.generators.emit"), "generate", faulty)
    assert run(["demo", "-o", str(tmp_path / "out")]) == 1
    told = capsys.readouterr().out
    assert "FAILED" in told
    assert len(re.findall(rf"^{SMALL} failed: .*: expected .*, got ", told, re.M)) == 2
    assert len(re.findall(r"^replay: tilewright verify --replay .*\.zip$", told, re.M)) == 2


def test_the_presets_are_the_ones_promised() -> None:
    demo = importlib.import_module("tilewright.generators.commands.demo")
    configs = [preset(name).config for name in demo.PRESETS]
    assert [(c.rows, c.cols, c.dataflow, str(c.a), str(c.acc)) for c in configs] == [
        (16, 16, "ws", "int8", "int32"), (16, 16, "os", "int8", "int32"), (16, 16, "is", "int8", "int32"),
        (16, 16, "ws", "int4", "int20"), (8, 8, "ws", "bf16", "fp32"), (8, 8, "ws", "fp8_e4m3", "fp32"),
    ]  # fmt: skip


def test_scratchpads_hold_all_images_and_both_layers() -> None:
    demo = importlib.import_module("tilewright.generators.commands.demo")
    for name in demo.PRESETS:
        pads = demo._large_enough(preset(name)).config.scratchpads
        assert pads.a.lanes * pads.a.words >= TEST_IMAGES * 64
        assert pads.b.lanes * pads.b.words >= 64 * 32
        assert pads.c.lanes * pads.c.words >= (TEST_IMAGES + 1) * 32


def test_a_missing_compiler_is_told_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "/no/such/compiler")
    tools.compiler.cache_clear()
    try:
        assert run(["demo", "-o", str(tmp_path / "out")]) == 2
    finally:
        tools.compiler.cache_clear()
    assert capsys.readouterr().err.startswith("error: CXX names /no/such/compiler, which does not run; ")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_library_is_told_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    assert run(["demo", "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == (
        "error: scikit-learn must be installed for the demonstration; install it with: pip install 'tilewright[sim]'\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_files_of_others_are_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "is-16x16-int8").mkdir()
    (tmp_path / "is-16x16-int8" / "mine").touch()
    assert run(["demo", "-o", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: -o must be a new or empty folder or an earlier output, got ")
    assert [path.name for path in tmp_path.iterdir()] == ["is-16x16-int8"]


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "demo", "-o", str(tmp_path / "out")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not list(tmp_path.iterdir()):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    told = f"writing Verilog to {tmp_path / 'out'}, one folder a core\n"
    assert (process.returncode, out, err) == (130, "", told)
    assert list(tmp_path.iterdir()) == []
