"""Documents show what the code says, their links lead somewhere, and their drawings are those of today's RTL."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tilewright.sim_tests.docs.drawings import DRAWINGS
from tilewright.sim_tests.docs.pages import ROOT, documents, rendered, table
from tilewright.sim_tests.docs.wavefront import COLS, FOLDS, ROWS, STEPS, run
from tilewright.sim_tests.docs.write import PARTS, fresh_texts

REMEDY = "python -m tilewright.sim_tests.docs.write makes it anew"

fresh = cache(fresh_texts)  # all documents are made at once

_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_document_shows_what_the_code_says(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == fresh()[path], REMEDY


def test_every_part_is_shown_somewhere() -> None:
    shown = "".join(path.read_text(encoding="utf-8") for path in documents())
    assert {name for name in PARTS if f"<!-- generated:{name} -->" not in shown} == set()


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_that_of_the_code(name: str) -> None:
    assert (ROOT / "docs" / "images" / name).read_text(encoding="utf-8") == DRAWINGS[name](), REMEDY


@pytest.mark.parametrize("dataflow", ["ws", "os", "is"])
def test_wavefronts_follow_each_other_without_a_gap(dataflow: str) -> None:
    found, _, _ = run(dataflow)
    for row in range(ROWS):
        for col in range(COLS):
            steps = {cycle: what for (cycle, r, c), what in found.items() if (r, c) == (row, col) and what.step}
            first = min(cycle for (cycle, r, c), what in found.items() if (r, c) == (0, 0) and what.step)
            assert list(steps) == list(range(first + row + col, first + row + col + FOLDS * STEPS))
            labels = [(what.fold, what.step) for what in steps.values()]
            assert labels == [(fold + 1, step + 1) for fold in range(FOLDS) for step in range(STEPS)]


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    for target in _LINK.findall(path.read_text(encoding="utf-8")):
        file, _, anchor = target.partition("#")
        if target.startswith(("http://", "https://")):
            continue
        linked = path if not file else (path.parent / file).resolve()
        assert linked.exists(), f"{target} in {path.name}"
        if anchor:
            heads = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}, target


def test_marks_are_checked() -> None:
    parts = {"x": lambda: "new\n"}
    marked = "a\n<!-- generated:x -->\nold\n<!-- /generated:x -->\nb\n"
    assert rendered(marked, parts) == marked.replace("old", "new")
    with pytest.raises(LookupError, match="is not closed"):
        rendered("<!-- generated:x -->\n", parts)
    with pytest.raises(LookupError, match="there is no part y"):
        rendered(marked.replace("generated:x", "generated:y"), parts)
    assert table(("a", "b"), [("1|2", 3)], right=(1,)) == "| a | b |\n| --- | --: |\n| 1\\|2 | 3 |\n"
