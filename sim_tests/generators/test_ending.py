"""Whenever a signal arrives, the program ends with its code, says nothing and leaves nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# Sends itself a signal at a given share of all calls of a run: the same place whatever the machine.
PROGRAM = """
import os, sys
words, (at, number) = sys.argv[1:-2], map(int, sys.argv[-2:])
calls = 0

def count(frame, event, arg):
    global calls
    calls += 1
    if calls == at:
        sys.setprofile(None)
        os.kill(os.getpid(), number)

sys.argv[1:] = words
from tilewright.generators.cli import main
sys.setprofile(count)
try:
    main()
finally:
    sys.setprofile(None)
    if not at:
        print(calls, file=sys.stderr)
"""
SMALLEST = ["systolic", "--product", "array", "--rows", "1", "--cols", "1", "--dataflow", "os", "-o", "out"]


def program(code: str, folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    (folder / "temporary").mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        cwd=folder, env=os.environ | {"TMPDIR": str(folder / "temporary")},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.name != "temporary")


@pytest.mark.parametrize(("words", "moments"), [(["presets", "--json"], 12), (SMALLEST, 8)], ids=["load", "generate"])
def test_an_interrupt_at_any_moment(tmp_path: Path, words: list[str], moments: int) -> None:
    calls = int(program(PROGRAM, tmp_path, *words, 0, 0).stderr)
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            path.unlink()
    for moment in range(moments):
        (folder := tmp_path / str(moment)).mkdir()
        at = 10 + calls * 9 // 10 * moment // moments
        done = program(PROGRAM, folder, *words, at, int(signal.SIGINT))
        assert (done.returncode, done.stdout, done.stderr) == (130, "", ""), at
        assert left(folder) == [], at


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=str
)
def test_an_interrupt_that_a_library_loses_arrives_all_the_same(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    losing = f"""
import os, signal, time
signal.signal({int(number)}, signal.SIG_DFL)  # whoever runs the tests may ignore it
from tilewright.generators.commands import app
class Losing:
    def __del__(self):
        os.kill(os.getpid(), {int(number)})
        time.sleep(5)
def run(words, interrupted):
    Losing()
    time.sleep(20)
    print("not reached")
app.run = run
from tilewright.generators.cli import main
main()
"""
    done = program(losing, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_an_interrupt_that_a_library_words_anew_is_an_interrupt(tmp_path: Path) -> None:
    wording = """
import os
from tilewright.generators.config import presets
def reworded():
    try:
        os.kill(os.getpid(), 2)
    except KeyboardInterrupt:
        raise ImportError("no interrupt at all") from None
presets.presets = reworded
from tilewright.generators.cli import main
main()
"""
    done = program(wording, tmp_path, "presets")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_more_signals_do_not_disturb_the_clearing_up(tmp_path: Path) -> None:
    clearing = """
import os, time
from tilewright.generators.commands import app
def run(words, interrupted):
    try:
        os.kill(os.getpid(), 15)
    finally:
        for number in (2, 15, 1):
            os.kill(os.getpid(), number)
        print("cleared up", flush=True)
app.run = run
from tilewright.generators.cli import main
main()
"""
    done = program(clearing, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (143, "cleared up\n", "")


def test_what_was_started_to_outlive_signals_does(tmp_path: Path) -> None:
    outliving = """
import os, signal
signal.signal(signal.SIGHUP, signal.SIG_IGN)
from tilewright.generators.commands import app
def run(words, interrupted):
    os.kill(os.getpid(), 1)
    return 0
app.run = run
from tilewright.generators.cli import main
main()
"""
    assert program(outliving, tmp_path).returncode == 0


def test_until_signals_are_met_nothing_loads_that_takes_long() -> None:
    code = "import sys; old = {*sys.modules}; import tilewright.generators.cli; print(*{*sys.modules} - old)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"typing", "importlib.metadata", "typer", "rich"} & set(done.stdout.split())
