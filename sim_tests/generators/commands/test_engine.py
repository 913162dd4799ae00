"""``tilewright engine``: files that appear whole or not at all, one sentence for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilewright.generators.commands.app import run
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.schema import json_schema
from tilewright.generators.emit import engine_files as emit_files
from tilewright.sim_tests.generators.emit.engine_outputs import config, engine_files

NAME = "engine-4x4-int8-32bit"


def refused(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> str:
    """The sentence with which ``words`` are refused, after a check that nothing was written."""
    assert run(["engine", "-o", str(folder / "out"), *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and list(folder.iterdir()) == []
    (line,) = err.splitlines()
    return line.removeprefix("error: ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--bus-bits", "100"], "bus_bits must be one of 32, 64, 128, 256, 512, got 100; nearest legal value is 128"),
        (
            ["--bus-bits", "wide"],
            "bus_bits must be one of 32, 64, 128, 256, 512, got 'wide'; nearest legal value is 32",
        ),
        (["--address-bits", "65"], "address_bits must be a whole number 12..64, got 65; nearest legal value is 64"),
        (["--max-burst", "0"], "max_burst must be a whole number 1..256 beats, got 0; nearest legal value is 1"),
        (["--outstanding", "33"], "outstanding must be one of 2, 4, 8, 16, 32, 64, got 33; nearest legal value is 32"),
        (["--channels", "-1"], "channels must be a whole number 0..65535, got -1; nearest legal value is 0"),
        (
            ["--table", "--a", "bf16"],
            "table must be false for accumulators fp32, got true; nearest legal value is false",
        ),
        (
            ["--table", "--result", "int9"],
            "table must be false for results of more than 8 bits, got int9; nearest legal value is false",
        ),
        (["--gelu"], "gelu must be false for accumulators int32, got true; nearest legal value is false"),
        (
            ["--a", "bf16", "--channels", "4"],
            "channels must be 0 for accumulators fp32, got 4; nearest legal value is 0",
        ),
        (
            ["--a", "bf16", "--result", "int8"],
            "result must be a float format for accumulators fp32, got int8; nearest legal value is bf16",
        ),
        (["--product", "core"], "option '--product' does not exist; nearest is '--out'"),
        (["--preset", "engine-4x4-int8"], f"preset 'engine-4x4-int8' does not exist; nearest is '{NAME}'"),
        (["--preset", "ws-4x4-int8"], f"preset 'ws-4x4-int8' does not exist; nearest is '{NAME}'"),
        (
            ["--preset", NAME, "--config", "x.toml"],
            "--config and --preset must not be given together; keep one and override fields by options",
        ),
        (
            ["--rows", "256", "--cols", "256"],
            "--force must be given for more than 16384 multipliers, got 256 x 256 x 1, about ",
        ),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], sentence: str) -> None:
    told = refused(capsys, tmp_path, *words)
    assert told.startswith(sentence) if sentence.endswith("about ") else told == sentence


def test_a_flag_in_a_file_is_true_or_false(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    file = tmp_path / "a" / "engine.toml"
    for value, shown, nearest in (("1", "1", "true"), ('"on"', "'on'", "true"), ("0.0", "0.0", "false")):
        file.write_text(f'a = "bf16"\ngelu = {value}\n')
        told = refused(capsys, tmp_path / "b", "--config", str(file))
        assert told == f"gelu must be true or false, got {shown}; nearest legal value is {nearest}"


def test_files_are_those_of_the_configuration(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    assert run(["engine", "--preset", NAME, "-o", str(out), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    files = {path.name: path.read_text() for path in out.iterdir()}
    assert files == engine_files(NAME)
    assert summary["files"] == {name: len(text.encode()) for name, text in files.items()}
    assert summary["config"]["channels"] == 64 and summary["config"]["product"] == "engine"
    # Its own output may be replaced; the command of the manifest makes the same again.
    words = json.loads(files["manifest.json"])["command"].split()[1:]
    monkeypatch.setattr(emit_files, "generate_engine", {config(NAME): files}.__getitem__)  # any other is a KeyError
    assert run([*words, "-o", str(out)]) == 0
    said = capsys.readouterr().out.replace("\n", "")
    assert all(str(out / name) in said for name in files)
    assert {path.name: path.read_text() for path in out.iterdir()} == files
    (out / "mine.txt").write_text("")
    assert run([*words, "-o", str(out)]) == 2
    assert "which holds 'mine.txt'" in capsys.readouterr().err.replace("\n", " ")


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "--engine"]) == 0
    assert json.loads(capsys.readouterr().out) == json_schema(EngineConfig)
