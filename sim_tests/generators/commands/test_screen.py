"""Colour and what moves: as the terminal and the environment say."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-c", "from tilewright.generators.cli import main; main()"]
VARIABLES = ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "COLORTERM", "TTY_COMPATIBLE")
REFUSED = ["systolic", "-o", "x", "--rows", "0"]
SENTENCE = "error: rows must be a whole number 1..256, got 0; nearest legal value is 1"
COLOUR = re.compile("\x1b\\[[0-9;]*3[0-9][0-9;]*m")


def environment(**variables: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in VARIABLES} | variables


def on_terminal(words: list[str], **variables: str) -> str:
    """What is printed on a terminal, standard error included."""
    own, other = pty.openpty()
    with subprocess.Popen([*PROGRAM, *words], env=environment(**variables), stdout=other, stderr=other):
        os.close(other)
        said = b""
        try:
            while data := os.read(own, 65536):
                said += data
        except OSError:  # the program has ended
            pass
    os.close(own)
    return said.decode().replace("\r\n", "\n")


def in_pipe(words: list[str], **variables: str) -> str:
    done = subprocess.run([*PROGRAM, *words], env=environment(**variables), capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_errors_are_red_on_a_terminal_that_has_colours() -> None:
    assert on_terminal(REFUSED, TERM="xterm") == f"\x1b[31m{SENTENCE}\x1b[0m\n"


@pytest.mark.parametrize(
    "variables", [{"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "0"}], ids=str
)
def test_a_terminal_without_colours(variables: dict[str, str]) -> None:
    assert on_terminal(REFUSED, **variables) == f"{SENTENCE}\n"
    assert not COLOUR.search(on_terminal(["doctor"], **variables))


def test_pipes_have_colour_only_where_it_is_asked_for() -> None:
    assert in_pipe(REFUSED, TERM="xterm") == f"{SENTENCE}\n"
    assert in_pipe(REFUSED, TERM="xterm", FORCE_COLOR="1") == f"\x1b[31m{SENTENCE}\x1b[0m\n"
    assert in_pipe(REFUSED, TERM="xterm", FORCE_COLOR="1", NO_COLOR="1") == f"{SENTENCE}\n"


@pytest.mark.parametrize("columns", ["1", "20", "none"])
def test_an_error_is_one_line_however_narrow_the_terminal(columns: str) -> None:
    assert on_terminal(REFUSED, TERM="dumb", COLUMNS=columns) == f"{SENTENCE}\n"
    for words in (["report", "--help"], ["report", "cycles", "9", "9", "9"], ["presets"]):
        assert "Traceback" not in on_terminal(words, TERM="dumb", COLUMNS=columns)


@pytest.mark.parametrize("where", [on_terminal, in_pipe])
def test_nothing_moves_where_it_cannot_be_shown(where: object, tmp_path: Path) -> None:
    assert callable(where)
    words = ["report", "area", "--product", "array", "--rows", "1", "--cols", "1", "--dataflow", "os"]
    more = {"TILEWRIGHT_CACHE": str(tmp_path), "FORCE_COLOR": "1"} | ({"TERM": "dumb"} if where is on_terminal else {})
    said = where(words, **more)
    assert "synthesis for ecp5, about " in said
    assert not re.search("\x1b\\[(?:\\?25|[0-9]*[AK])|\r", said)
