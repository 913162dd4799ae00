"""How errors end a command: exit code, sentence, and an object where JSON is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilewright.generators.commands.app import run
from tilewright.sim_tests.harness import tools
from tilewright.sim_tests.verify.cores import SMALL, edit, folder_of


def told(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    """The exit code and the error of a command with --json, after a check that both streams tell the same."""
    code = run([*map(str, words), "--json"])
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document == {"error": document["error"], "exit_code": code}
    assert err.replace("error: ", "") == f"{document['error']}\n"
    return code, document["error"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["systolic", "-o", "x", "--rows", "0"], "rows must be a whole number 1..256, got 0; nearest legal value is 1"),
        (["systolic", "-o", "/proc/x"], "-o must be a folder that can be written, got '/proc/x': "),
        (["systolic", "-o", "x", "--config", "none.toml"], "configuration file none.toml does not exist"),
        (["report", "cycles", "1"], "M, N and K must be given, "),
        (["report", "movement", "1", "1", "x"], "K must be a whole number 1..65535, got 'x'"),
        (["report", "area", "--device", "x"], "device 'x' does not exist; nearest is 'ecp5'"),
        (["verify"], "verify must be given one of DIR, --preset NAME and --replay FILE"),
        (["verify", "none"], "DIR must be a folder that tilewright systolic or engine has written, got 'none', "),
        (["verify", "--replay", "none"], "there is no recorded run none"),
        (["systolic", "--outt", "x"], "option '--outt' does not exist; nearest is '--out'"),
        (["systolic"], "Missing option '--out' / '-o'."),
        (["systolic", "-o", "x", "stray"], "Got unexpected extra argument(s) (stray)"),
        (["presets", "--force=1"], "option '--force' does not exist; nearest is '--json'"),
        (["report", "cycels"], "No such command 'cycels'."),
        (["sistolic"], "No such command 'sistolic'."),
        (["--bogus"], "option '--bogus' does not exist; nearest is "),
    ],
)
def test_bad_input_with_json(capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    code, error = told(capsys, *words)
    assert code == 2
    assert error.startswith(sentence)


def test_missing_values_and_words_for_numbers_with_json(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["systolic", "--json", "--rows"], ["--json"], ["verify", "--json", "--preset", SMALL, "--seed", "x"]):
        code = run(words)
        out, err = capsys.readouterr()
        document = json.loads(out)
        assert document == {"error": err.removeprefix("error: ").rstrip("\n"), "exit_code": code}
        assert code == 2 and document["error"]


def test_several_errors_are_told_together(capsys: pytest.CaptureFixture[str]) -> None:
    code, error = told(capsys, "systolic", "-o", "x", "--rows", "0", "--vector", "3")
    assert code == 2
    assert [sentence.split()[0] for sentence in error.splitlines()] == ["rows", "vector"]


def test_a_missing_compiler_with_json(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/no/such/compiler")
    tools.compiler.cache_clear()
    try:
        for words in (["demo", "-o", "x"], ["verify", "--preset", SMALL]):
            code, error = told(capsys, *words)
            assert code == 2
            assert error.startswith("CXX names /no/such/compiler, which does not run; ")
    finally:
        tools.compiler.cache_clear()


def test_refused_verilog_with_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    core = folder_of(SMALL, tmp_path / "core")
    edit(core / "tilewright_gemm.v", "total = sum_in + ", "total = sum_in + + * ")
    code, error = told(capsys, "verify", core)
    assert code == 1
    first, *details = error.splitlines()
    assert first == "Verilator refused tilewright_gemm_watched:"
    assert any(line.startswith("%Error: tilewright_gemm.v:") for line in details)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (MemoryError(), 2, "there must be more memory for this, all of it is in use"),
        (OSError(28, "No space left on device", "/a/file"), 2, "/a/file cannot be used: No space left on device"),
        (OSError(5, "Input/output error"), 2, "a file cannot be used: Input/output error"),
        (KeyError("x"), 70, "a fault of Tilewright itself, to be reported, at test_verdict.py, line "),
    ],
)
def test_other_errors(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, text: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("tilewright.generators.commands.report_cycles.layer_cycles", fail)
    found, said = told(capsys, "report", "cycles", "1", "1", "1")
    assert found == code
    assert said.startswith(text)
    assert len(said.splitlines()) == 1
    if code == 70:
        assert "KeyError: 'x'" in said
        monkeypatch.setenv("TILEWRIGHT_TRACEBACK", "1")
        with pytest.raises(KeyError):
            run(["report", "cycles", "1", "1", "1"])
