"""Folders for work are gone whenever the work ends."""

from __future__ import annotations

import errno
import shutil
import tempfile
from pathlib import Path

import pytest

from tilewright.generators.scratch import scratch_folder


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_a_folder_is_there_for_its_owner_and_then_gone(tmp_path: Path) -> None:
    with scratch_folder("test") as folder:
        assert folder.parent == tmp_path and folder.name.startswith("tilewright-test-")
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "deep" / "er").mkdir(parents=True)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_it_is_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mkdir = Path.mkdir

    def interrupted(self: Path, mode: int = 0o777) -> None:
        mkdir(self, mode)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", interrupted)
    with pytest.raises(KeyboardInterrupt), scratch_folder("test"):
        pytest.fail("work started")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_it_is_removed_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rmtree, calls = shutil.rmtree, []

    def interrupted(path: Path, ignore_errors: bool) -> None:
        calls.append(path)
        if len(calls) == 1:
            raise KeyboardInterrupt
        rmtree(path, ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt), scratch_folder("test") as folder:
        (folder / "file").touch()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (OSError(errno.EFBIG, "File too large"), True),
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), False),
    ],
)
def test_a_full_disk_is_told_with_its_folder(tmp_path: Path, error: OSError, named: bool) -> None:
    with pytest.raises(OSError) as caught, scratch_folder("test"):
        raise error
    assert caught.value.filename == (str(tmp_path) if named else None)
    other = OSError(error.errno, error.strerror, "/a/file")
    with pytest.raises(OSError) as caught, scratch_folder("test"):
        raise other
    assert caught.value.filename == "/a/file"
