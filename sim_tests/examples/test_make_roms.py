"""Own matrices as ROMs of matmul_top."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tilewright
from tilewright.generators.config.toml_file import read_toml
from tilewright.sim_tests.examples.example import EXAMPLES, core, needs_icarus, script, verilog
from tilewright.sim_tests.harness.icarus_run import run_icarus

DESIGN = [f"matmul_top/{name}.v" for name in ("request", "rom_stream", "matmul_top", "tb_matmul_top")]


def make(*words: object) -> int:
    code = script("make_roms.py")["main"]([str(word) for word in words])
    assert isinstance(code, int)
    return code


def changed(text: str, told: str) -> str:
    """``text`` with the lines that ``told`` names in the place of those that begin like them."""
    for line in told.splitlines():
        begin = next((b for b in ("localparam [15:0] M", "localparam BEATS") if line.strip().startswith(b)), None)
        if rom := re.search(r"rom_[ab] \($", line):
            text = re.sub(rf"^  rom_stream .*{re.escape(rom[0])}$", line, text, flags=re.MULTILINE)
        elif begin:
            text = re.sub(rf"^  {re.escape(begin)} .*;$", line, text, flags=re.MULTILINE)
    return text


@needs_icarus
@pytest.mark.parametrize("shape", [(1, 1, 1), (9, 5, 14), (3, 30, 21)])
def test_own_matrices_run_after_the_changes_that_it_prints(
    shape: tuple[int, int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    m, n, k = shape
    rng = np.random.default_rng(m)
    np.save(tmp_path / "a.npy", rng.integers(-128, 128, (m, k)).astype(np.int8))
    np.savetxt(tmp_path / "b.csv", rng.integers(-128, 128, (k, n)), fmt="%d", delimiter=",")
    assert make(tmp_path / "a.npy", tmp_path / "b.csv", tmp_path / "new" / "roms") == 0
    told = capsys.readouterr().out
    larger = {name: int(value) for name, value in re.findall(r"^(max_[mnk]) = (\d+)$", told, re.MULTILINE)}
    assert larger == {name: x for name, x in (("max_m", m), ("max_n", n), ("max_k", k)) if x > 16}
    files = tilewright.generate(read_toml(EXAMPLES / "matmul_top/gemm4.toml") | larger)
    sources = {name: changed(text, told) for name, text in verilog(*DESIGN).items()}
    roms = {file.name: file.read_bytes() for file in (tmp_path / "new" / "roms").iterdir()}
    assert set(roms) == {"a.mem", "b.mem", "c.mem"}
    assert "PASS" in run_icarus({"gemm4.v": files["gemm4.v"]} | sources, "tb_matmul_top", files=roms).output


def test_what_it_prints_for_the_matrices_of_the_example_stands_there() -> None:
    lines = [line for line in script("make_roms.py")["changes"](5, 6, 7).splitlines() if line.startswith(" ")]
    text = "".join(verilog(*DESIGN).values())
    for line in lines:
        assert re.sub(r"CYCLES = \d+", "CYCLES = 1000", line) in text.splitlines()
    assert len(lines) == 4
    assert "gemm4.v" in core("matmul_top/gemm4.toml")


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ("1,2", "3", "b.csv must have as many rows as "),
        ("1,2\n3", "3", "a.csv must hold a matrix of integers, with rows of the same length"),
        ("1,x", "3", "a.csv must hold a matrix of integers"),
        ("1.5", "3", "a.csv must hold a matrix of integers"),
        ("128", "3", "a.csv must hold int8 values, -128..127, got 128; nearest legal value is 127"),
        ("1", "-9999999999999999999999", "nearest legal value is -128"),
        ("", "3", "a.csv must hold a matrix of at least one row and one column"),
        (None, "3", "a.csv cannot be read: No such file or directory"),
    ],
)
def test_wrong_matrices_are_refused_in_one_sentence(
    a: str | None, b: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("a.csv", a), ("b.csv", b)):
        if text is not None:
            (tmp_path / name).write_text(text)
    assert make(tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "roms") == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1
    assert not (tmp_path / "roms").exists()


def test_wrong_files_of_numpy_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "real.npy", np.ones((2, 2)))
    np.save(tmp_path / "cube.npy", np.ones((2, 2, 2), dtype=int))
    np.save(tmp_path / "long.npy", np.ones((65_536, 1), dtype=int))
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "text.npy").write_text("1,2\n")
    np.save(tmp_path / "one.npy", np.ones((1, 1), dtype=int))
    sentences = {
        "real": "must hold integers, got float64",
        "cube": "got shape (2, 2, 2)",
        "long": "must be at most 65535 beats of 4 values, got 65536",
        "empty": "must hold a matrix of integers",
        "text": "must hold a matrix of integers",
    }
    for name, sentence in sentences.items():
        assert make(tmp_path / f"{name}.npy", tmp_path / "one.npy", tmp_path / "roms") == 2
        told = capsys.readouterr().err
        assert sentence in told
        assert told.count("\n") == 1
    assert make(tmp_path / "one.npy", tmp_path / "one.npy", tmp_path / "one.npy") == 2
    assert "cannot be written" in capsys.readouterr().err
    assert not (tmp_path / "roms").exists()


@pytest.mark.parametrize(("words", "code"), [((), 2), (("--help",), 0), (("a", "b"), 2), (("--what", "b", "c"), 2)])
def test_without_matrices_it_writes_nothing(words: tuple[str, ...], code: int, tmp_path: Path) -> None:
    before = {file: file.stat().st_mtime_ns for file in EXAMPLES.rglob("*.mem")}
    command = [sys.executable, str(EXAMPLES / "make_roms.py"), *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code
    assert done.stderr.count("\n") == (1 if code else 0)
    assert ("FOLDER" in done.stdout) == (code == 0)
    assert {file: file.stat().st_mtime_ns for file in EXAMPLES.rglob("*.mem")} == before
    assert not list(tmp_path.iterdir())
