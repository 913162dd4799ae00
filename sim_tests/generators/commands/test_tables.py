"""Tables on screens of any width: all names and numbers are there, and nothing in them is markup."""

from __future__ import annotations

import contextlib

import pytest
import typer

from tilewright.generators.commands import doctor
from tilewright.generators.commands.app import run
from tilewright.generators.commands.tables import PLAIN_WIDTH, Column, counted, percent, show
from tilewright.generators.config.presets import engine_preset_names, preset_names

COLUMNS = (Column("name"), Column("number", right=True), Column("why", prose=True), Column("more", spare=True))


def test_data_is_no_markup(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with contextlib.suppress(typer.Exit):
        doctor.doctor()
    assert "'tilewright[sim]'" in " ".join(capsys.readouterr().out.split())
    show((Column("[red]a"),), [("[bold]b",)], "[sim]")
    assert [line.strip() for line in capsys.readouterr().out.splitlines()][::3] == ["[sim]", "[bold]b"]


def test_a_table_that_fits_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    show(COLUMNS, [("a", "1", "word " * 30, "x" * 60)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "number", "why"], "the spare column has no place"
    assert len(lines) > 3 and max(map(len, lines)) <= PLAIN_WIDTH


def test_a_row_too_wide_is_a_block(capsys: pytest.CaptureFixture[str]) -> None:
    show(COLUMNS, [("a" * 100, "1,234,567", "why", "")])
    assert capsys.readouterr().out.splitlines() == [f"name    {'a' * 100}", "number  1,234,567", "why     why", ""]


def test_presets_are_named_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["presets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = {*preset_names(), *engine_preset_names()}
    assert {line.split()[0] for line in lines[2:] if line[0] != " "} == names
    assert max(map(len, lines)) <= PLAIN_WIDTH


def test_flags_take_no_value(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["demo"], ["report"], ["report", "cycles"], ["systolic"]):
        assert run([*words, "--help"]) == 0
        assert "<bool>" not in capsys.readouterr().out


def test_shares_and_counts_are_worded_right() -> None:
    assert [percent(share) for share in (0.5, 0.99996, 1.0)] == ["50.0%", "99.9%", "100.0%"]
    assert [counted(number, "test") for number in (0, 1, 2000)] == ["0 tests", "1 test", "2,000 tests"]
