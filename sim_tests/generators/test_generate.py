"""`tilewright.generate`: the same files as the command line's, from any way of naming a configuration."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright
from tilewright.generators.config.resolve import resolve

FIELDS = {"rows": 2, "cols": 3, "dataflow": "os", "max_m": 9, "max_n": 9, "max_k": 9}


def program(text: str, *words: str) -> None:
    subprocess.run([sys.executable, "-c", text, *words], check=True, stdout=subprocess.DEVNULL, timeout=300)


def contents(folder: Path) -> dict[str, str]:
    return {file.relative_to(folder).as_posix(): file.read_text() for file in folder.rglob("*") if file.is_file()}


def test_files_are_those_of_the_command_line(tmp_path: Path) -> None:
    words = [word for name, value in FIELDS.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    command = "from tilewright.generators.cli import main; main()"
    program(command, "systolic", *words, "-o", str(tmp_path / "cli"))
    program(f"import tilewright; tilewright.generate({FIELDS}, {str(tmp_path / 'api')!r})")
    files = contents(tmp_path / "api")
    assert files == contents(tmp_path / "cli")
    assert {"tilewright_gemm.v", "tilewright_gemm.h", "manifest.json"} < set(files)


def test_what_is_returned_is_what_is_written(tmp_path: Path) -> None:
    assert tilewright.generate(FIELDS, tmp_path / "new") == contents(tmp_path / "new")


def test_configurations_are_named_in_any_way() -> None:
    model = tilewright.SystolicConfig(**FIELDS)
    assert resolve(None, FIELDS) == resolve(FIELDS, {}) == resolve(model, {}) == model
    assert resolve({**FIELDS, "rows": 7}, {"rows": 2}) == resolve(model, {"cols": 3}) == model
    assert resolve(model, {"rows": 3}).rows == 3
    assert resolve(None, {}) == tilewright.SystolicConfig()


def test_a_preset_is_a_start() -> None:
    manifest = json.loads(tilewright.generate("ws-4x4-int8", module_name="mine")["manifest.json"])
    assert manifest["parameters"]["rows"] == 4
    assert manifest["module"] == "mine"


@pytest.mark.parametrize(
    ("config", "fields", "sentence"),
    [
        (None, {"rows": 0}, "rows must be a whole number 1..256, got 0; nearest legal value is 1"),
        ("ws-4x4", {}, "preset 'ws-4x4' does not exist; nearest is 'ws-4x4-int8'"),
        (None, {"row": 1}, "configuration field 'row' does not exist; nearest is 'rows'"),
        (
            7,
            {},
            "config must be a SystolicConfig, the name of a preset or a mapping of fields, got int; "
            "nearest legal value is SystolicConfig()",
        ),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(config: Any, fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(tilewright.ConfigError) as refused:
        tilewright.generate(config, **fields)
    assert str(refused.value) == sentence


def test_nothing_foreign_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("kept")
    with pytest.raises(tilewright.ConfigError, match="output must be a new or empty folder or an earlier output"):
        tilewright.generate(FIELDS, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["own.txt"]


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (7, "output must be the path of a folder, got 7; nearest legal value is 'out'"),
        (b"out", "output must be the path of a folder, got b'out'; nearest legal value is 'out'"),
        (
            "a\0b",
            r"output must be a folder, got 'a\x00b': no file can have its name; nearest legal value is 'out'",
        ),
        (
            Path("a\ud800b"),
            r"output must be a folder, got 'a\ud800b': no file can have its name; nearest legal value is 'out'",
        ),
        ("", "output must not be the working folder or a mounted one, got '.'; nearest legal value is 'tilewright'"),
        ("x" * 300, f"output must be a folder that can be written, got '{'x' * 300}': File name too long; nearest "),
    ],
    ids=["number", "bytes", "NUL", "half a character", "empty", "long"],
)
def test_an_output_that_is_no_path_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: Any, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)  # in which everything is free
    with pytest.raises(tilewright.ConfigError) as refused:
        tilewright.generate(FIELDS, output)
    assert str(refused.value).startswith(sentence)


def test_integers_of_numpy_are_integers(tmp_path: Path) -> None:
    fields = {"rows": np.int64(2), "cols": np.uint8(3), "dataflow": np.str_("os"), "vector": np.int16(2)}
    model = resolve(None, fields | {name: np.int32(9) for name in ("max_m", "max_n", "max_k")})
    assert model == resolve(None, FIELDS | {"vector": 2})
    assert all(type(value) is int for name, value in model if name in ("rows", "cols", "vector", "max_m"))
    assert tilewright.generate(model, tmp_path / "out")["manifest.json"]


@pytest.mark.parametrize("value", [np.True_, np.float64(4), np.arange(2), np.zeros((2, 2)), Fraction(4), Decimal(4)])
def test_what_only_equals_an_integer_is_none(value: Any) -> None:
    for field in ("rows", "vector", "a_words"):
        with pytest.raises(tilewright.ConfigError, match=f"^{field} must be [^\\n]*, got [^\\n]*; nearest legal"):
            tilewright.systolic_config({field: value})


@pytest.mark.parametrize("call", [tilewright.preset, lambda name: resolve(name, {}), tilewright.systolic_config])
@pytest.mark.parametrize("value", [5, 1.5, [], b"ws-4x4-int8", Ellipsis, np.arange(2)], ids=repr)
def test_what_names_no_configuration_is_told_in_one_sentence(call: Any, value: Any) -> None:
    with pytest.raises(tilewright.ConfigError) as refused:
        call(value)
    assert len(str(refused.value).splitlines()) == 1


def test_every_public_name_is_there() -> None:
    for name in tilewright.__all__:
        assert getattr(tilewright, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = tilewright.nothing
