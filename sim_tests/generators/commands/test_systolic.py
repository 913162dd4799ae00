"""What ``tilewright systolic`` says of what it has written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.generators.commands.app import run


def test_vectors_are_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(["systolic", "--rows", "2", "--cols", "2", "--product", "array", "-o", str(out)]) == 0
    said = capsys.readouterr().out.replace("\n", "")
    vectors = list((out / "vectors").iterdir())
    size = sum(path.stat().st_size for path in vectors)
    assert f"{len(vectors)} vectors, {size:,} bytes" in said
    assert ".hex" not in said
    for path in out.iterdir():
        assert str(path) in said
