"""``tilewright build``: what it writes and says, and what it refuses."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tilewright.fpga.flow import built as reader
from tilewright.fpga.tops import board_design
from tilewright.generators.commands.app import run
from tilewright.generators.config.errors import ConfigError
from tilewright.sim_tests.fpga.flow.tiny import TEXT, tiny


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is built for a board is a small design."""
    monkeypatch.setattr(board_design, "board_design", lambda config, divisor: tiny())


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.usefixtures("small")
def test_what_is_written_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(["build", "--board", "icebreaker", "-o", str(out)]) == 0
    told = capsys.readouterr().out
    for words in (
        "iCEBreaker, up5k",
        "logic cells",
        "place and route",
        "MHz reached, 12 MHz asked for",
        "slowest path: ",
    ):
        assert words in told
    assert f"openFPGALoader -b ice40_generic {out}/tiny.bin" in told.replace("\n", "")
    found = reader.read_built(out)
    assert (found.top, found.board.name, found.baud) == ("tiny", "icebreaker", 1_000_000)
    manifest = json.loads((out / "manifest.json").read_text())
    for name, entry in manifest["files"].items():
        assert entry["sha256"] == hashlib.sha256((out / name).read_bytes()).hexdigest()
    assert (out / "tiny.v").read_text() == TEXT and {"tiny.bin", "tiny.pcf", "yosys.log"} <= {*manifest["files"]}
    assert run(["build", "--board", "icebreaker", "-o", str(out)]) == 0, "an earlier output is replaced"


@pytest.mark.usefixtures("small")
def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build", "--board", "icebreaker", "-o", str(tmp_path / "out"), "--rows", "2", "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["config"]["rows"] == 2 and document["report"]["clock_mhz"] == 12
    assert [step["step"] for step in document["steps"]] == ["synthesis", "place and route", "pack"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--board", "icebraker"], "board 'icebraker' does not exist; nearest is 'icebreaker'"),
        (["--board", "icebreaker", "--product", "array"], "product must be core or engine for a board, got array; "),
        (
            ["--board", "icebreaker", "--target", "ecp5"],
            "target must be generic or the family of icebreaker, ice40, got 'ecp5'; nearest legal",
        ),
        (["--board", "icebreaker", "--baud", "5000000"], "baud must be 184..1500000 bits/s at a clock of 12000000 Hz"),
        (["--board", "ulx3s", "--baud", "1900000"], "baud must be within 1 % of the clock of 25000000 Hz divided by a"),
        (["--board", "ulx3s", "--seed", "0"], "--seed must be a whole number 1..2147483647, got 0; nearest legal"),
        (
            ["--board", "ulx3s", "--preset", "ws-4x4-int9"],
            "preset 'ws-4x4-int9' does not exist; nearest is 'ws-4x4-int8'",
        ),
        (
            ["--board", "ulx3s", "--preset", "engine-4x4-int8-31bit"],
            "preset 'engine-4x4-int8-31bit' does not exist; nearest is 'engine-4x4-int8-32bit'",
        ),
        (
            ["--board", "ulx3s", "--preset", "engine-4x4-int8-stream"],
            "data_ports must be axi4 for a board, got 'axi4-stream'; nearest legal value is axi4",
        ),
        (["--board", "icebreaker", "--preset", "max"], "--preset max must be for a board that more fits than its own"),
    ],
)
def test_what_is_refused(words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build", *words, "-o", str(tmp_path / "out")]) == 2
    assert message in said(capsys)
    assert not (tmp_path / "out").exists()


def test_a_build_that_fails_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_design, "board_design", lambda config, divisor: tiny("module tiny (;"))
    assert run(["build", "--board", "icebreaker", "-o", str(tmp_path / "out")]) == 1
    assert "Yosys failed: " in said(capsys)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_no_build(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^a build must be a folder that tilewright build has written, got '"):
        reader.read_built(tmp_path)
