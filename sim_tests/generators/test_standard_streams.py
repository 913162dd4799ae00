"""Standard output that is full, closed, or left by its reader: a sensible exit code and not a word too many."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-c", "from tilewright.generators.cli import main; main()"]
COMMANDS = [
    ["--help"],
    ["--version"],
    ["doctor", "--json"],
    ["presets"],
    ["schema", "--json"],
    ["systolic", "--product", "array", "--rows", "1", "--cols", "1", "-o", "out"],
    ["report", "cycles", "9", "9", "9"],
    ["report", "movement", "9", "9", "9", "--json"],
]


def started(words: list[str], redirection: str, folder: Path) -> subprocess.CompletedProcess[str]:
    line = f'"$@" {redirection}'
    command = ["bash", "-o", "pipefail", "-c", line, "-", *PROGRAM, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_nobody_takes_what_is_printed(words: list[str], tmp_path: Path) -> None:
    full = started(words, ">/dev/full", tmp_path)
    assert (full.returncode, full.stderr) == (
        2,
        "error: standard output must take what is printed, but it cannot be written: No space left on device\n",
    )
    left = started(words, "| true", tmp_path)
    assert (left.returncode, left.stderr) == (141, "")
    closed = started(words, ">&-", tmp_path)
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, "", "")
    if "-o" in words:
        assert (tmp_path / "out" / "manifest.json").is_file()


@pytest.mark.parametrize("more", [[], ["--json"]], ids=["text", "json"])
def test_an_error_is_told_whatever_standard_output_is(more: list[str], tmp_path: Path) -> None:
    words = ["report", "cycles", "0", "1", "1", *more]
    for redirection in (">/dev/full", "| true", ">&-"):
        done = started(words, redirection, tmp_path)
        assert (done.returncode, done.stderr) == (
            2, "error: M must be a whole number 1..65535, got 0; nearest legal value is 1\n",
        )  # fmt: skip


@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-", "<&- 2>&-"])
def test_without_standard_error_the_exit_code_tells(redirection: str, tmp_path: Path) -> None:
    done = started(["presets", "--json"], redirection, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)
    assert started(["report", "cycles", "0", "1", "1"], redirection, tmp_path).returncode == 2


def test_no_file_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    done = started(COMMANDS[5], "<&- >&- 2>&-", tmp_path)
    assert done.returncode == 0
    listed = json.loads((tmp_path / "out" / "manifest.json").read_text())["files"]
    for name, entry in listed.items():
        assert (tmp_path / "out" / name).stat().st_size == entry["bytes"]


def test_a_pipe_that_does_not_block_gets_everything(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    with subprocess.Popen([*PROGRAM, "presets", "--json"], stdout=writing, cwd=tmp_path) as process:
        os.close(writing)
        time.sleep(1)  # it has to wait
        with os.fdopen(reading) as pipe:
            text = pipe.read()
        assert process.wait(30) == 0
    assert len(text) > 4096
    assert json.loads(text)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_cannot_be_encoded_is_escaped(encoding: str, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    words = ["systolic", "-o", "out", "--preset", "\N{SNOWMAN}"]
    done = subprocess.run([*PROGRAM, *words], env=environment, cwd=tmp_path, capture_output=True, check=False)
    shown = "\N{SNOWMAN}" if encoding == "utf-8" else r"\u2603"
    assert done.returncode == 2
    assert done.stderr.decode(encoding).startswith(f"error: preset '{shown}' does not exist; nearest is ")
    done = subprocess.run([*PROGRAM, "presets"], env=environment, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0 and b"ws-16x16-int4" in done.stdout
