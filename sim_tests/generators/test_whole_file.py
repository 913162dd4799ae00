"""A file appears whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.generators.whole_file import write_whole


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    for text in ("one\n", "two\n"):
        write_whole(tmp_path / "file", text)
        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", text.encode())]


@pytest.mark.parametrize("step", ["write_bytes", "replace", "unlink"])
def test_an_interrupt_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    write_whole(tmp_path / "file", "old")
    original, calls = getattr(Path, step), []

    def interrupted(self: Path, *words: object, **more: object) -> object:
        calls.append(self)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return original(self, *words, **more)

    monkeypatch.setattr(Path, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "file", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == ("new" if step == "unlink" else "old")
