"""A bench keeps what it measured and fails where a goal is missed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tilewright.generators.report.figures import RESULTS, Bench, Figure
from tilewright.sim_tests.benchmarks.record import commit, record


def test_figures_are_kept_with_command_commit_and_tools(tmp_path: Path) -> None:
    assert record("speed", "Speed", [Figure("4x4", "speed", 9, "cycles/s", least=5)], root=tmp_path) == 0
    kept = Bench.read(tmp_path / RESULTS / "speed.json")
    assert (kept.command, kept.commit) == ("make bench-speed", "unknown")
    assert set(kept.tools) == {"Verilator", "C++", "amaranth", "pyosys"}


def test_a_missed_goal_fails_and_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = [Figure("4x4", "speed", 4, "cycles/s", least=5)]
    assert record("speed", "Speed", figures, simulated=False, root=tmp_path) == 1
    assert "missed: speed of 4x4: 4 (≥ 5) **missed** cycles/s" in capsys.readouterr().out


def test_a_commit_with_changes_is_called_dirty(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@t"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    file = tmp_path / "file"
    file.write_text("1")
    git("init")
    git("add", "file")
    git("commit", "-m", "one")
    clean = commit(tmp_path)
    assert clean and not clean.endswith("-dirty")
    results = tmp_path / RESULTS / "speed.json"
    results.parent.mkdir(parents=True)
    results.write_text("1")
    git("add", ".")
    git("commit", "-m", "two")
    results.write_text("2")
    clean = commit(tmp_path)
    assert clean and not clean.endswith("-dirty"), "a bench that ran before this one"
    file.write_text("2")
    assert commit(tmp_path) == f"{clean}-dirty"
