"""Figures are kept, judged and rendered; the documents of the repository show them as they are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.generators.report.figures import (
    RESULTS,
    Bench,
    Figure,
    documents,
    main,
    number,
    rendered,
    results,
    stale,
)

ROOT = Path(__file__).resolve().parents[3]

BENCH = Bench(
    "core", "Cycles", "make bench-core", "abc1234", {"Verilator": "5.048"},
    (
        Figure("256 x 256 x 256", "ws", 65_599, "cycles", most=65_600),
        Figure("256 x 256 x 256", "utilisation", 99.9, "%"),
        Figure("8 x 8 x 8", "ws", 52, "cycles"),
    ),
)  # fmt: skip
TABLE = """\
|  | ws (cycles) | utilisation (%) |
| --- | --: | --: |
| 256 x 256 x 256 | 65,599 (≤ 65,600) | 99.9 |
| 8 x 8 x 8 | 52 |  |

`make bench-core`, commit abc1234; Verilator 5.048
"""


def repository(folder: Path, text: str) -> Path:
    BENCH.write(folder / RESULTS)
    (folder / "docs").mkdir()
    (folder / "README.md").write_text("# Nothing to show\n")
    (folder / "docs" / "speed.md").write_text(text)
    return folder


def test_kept_figures_are_read_as_they_were(tmp_path: Path) -> None:
    assert Bench.read(BENCH.write(tmp_path)) == BENCH


def test_a_table_has_a_line_for_each_thing_and_a_column_for_each_measure() -> None:
    assert BENCH.table() == TABLE


def test_goals_are_met_or_missed() -> None:
    assert Figure("a", "b", 5, "", least=5, most=5).met
    assert not Figure("a", "b", 4.9, "", least=5).met
    assert not Figure("a", "b", 1, "", most=0).met
    assert str(Figure("a", "b", 1, "", most=0)) == "1 (≤ 0) **missed**"
    assert str(Figure("a", "b", 0, "", most=0)) == "0 (goal)"


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (1234567, "1,234,567"), (1234.5, "1,234"), (0.012345, "0.01235")]
)
def test_numbers_are_written_to_be_read(value: float, text: str) -> None:
    assert number(value) == text


def test_what_is_between_the_marks_is_written_anew(tmp_path: Path) -> None:
    root = repository(tmp_path, "before\n<!-- figures:core -->\nold\n<!-- /figures:core -->\nafter\n")
    assert [path.name for path, _ in stale(root)] == ["speed.md"]
    assert main(root) == 0
    fresh = (root / "docs" / "speed.md").read_text()
    assert fresh == f"before\n<!-- figures:core -->\n{TABLE}<!-- /figures:core -->\nafter\n"
    assert list(stale(root)) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<!-- figures:none -->\n<!-- /figures:none -->\n", "there are no results of none; have are core"),
        ("<!-- figures:core -->\n", "is not closed by <!-- /figures:core -->"),
    ],
)
def test_a_wrong_mark_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, sentence: str) -> None:
    root = repository(tmp_path, text)
    assert main(root) == 2
    assert sentence in capsys.readouterr().err
    with pytest.raises(LookupError):
        rendered(text, results(root))


def test_documents_show_the_figures_as_they_are_kept() -> None:
    assert documents(ROOT)[0].is_file()
    assert [str(path.relative_to(ROOT)) for path, _ in stale(ROOT)] == [], "run `make figures`"


def test_kept_figures_meet_their_goals() -> None:
    found = results(ROOT)
    assert {"core", "cycles", "area", "emit", "movement", "mutants"} <= found.keys()
    assert {name: bench.missed() for name, bench in found.items() if bench.missed()} == {}
