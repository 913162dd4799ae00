"""An output folder that appears whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tilewright.generators.config.errors import ConfigError

MANIFEST = "manifest.json"  # lists the files of an earlier output, which may be replaced


class OutputFolder:
    """A folder to be published once. Made by ``output_folder``."""

    def __init__(self, target: Path) -> None:
        self._target, self.staging, self.retired = target, _beside(target, "new"), _beside(target, "old")

    def publish(self, files: Mapping[str, str]) -> None:
        """Writes ``files`` (name relative to the folder, text) aside, then puts them in place by renaming."""
        for name, text in files.items():
            path = self.staging / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        replaces = self._target.exists()
        if replaces:
            self._target.rename(self.retired)
        try:
            self.staging.rename(self._target)
        except BaseException:
            if replaces:
                self.retired.rename(self._target)
            raise


@contextmanager
def output_folder(option: str, path: Path) -> Iterator[OutputFolder]:
    """The folder ``path``, named by ``option``, checked to be writable before any work and published after it.

    Without a call of ``publish``, and on any error or interrupt, nothing is left behind.
    Raises ConfigError where ``path`` is a file, holds files that are not an earlier output, or cannot be written.
    """
    target = Path(os.path.realpath(path))
    _check_replaceable(option, path, target)
    created: list[Path] = []
    folder = OutputFolder(target)
    try:
        try:
            _make_parents(target.parent, created)
            folder.staging.mkdir()
        except OSError as error:
            raise ConfigError(
                f"{option} must be a folder that can be written, got '{path}': {error.strerror}; "
                f"nearest legal value is '{path.name or 'out'}' in a folder of your own"
            ) from None
        yield folder
    finally:
        shutil.rmtree(folder.staging, ignore_errors=True)
        shutil.rmtree(folder.retired, ignore_errors=True)
        for parent in reversed(created):
            if not any(parent.iterdir()):
                parent.rmdir()


def _beside(target: Path, role: str) -> Path:
    return target.with_name(f".{target.name}.{role}-{secrets.token_hex(4)}")


def _make_parents(folder: Path, created: list[Path]) -> None:
    if not folder.exists():
        _make_parents(folder.parent, created)
        folder.mkdir()
        created.append(folder)


def _check_replaceable(option: str, path: Path, target: Path) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise ConfigError(
            f"{option} must be a folder, got the existing file '{path}'; nearest legal value is '{path}.out'"
        )
    elsewhere = f"nearest legal value is '{path / 'tilewright'}'"
    if Path.cwd().is_relative_to(target) or target.is_mount():  # neither can be put in place by renaming
        raise ConfigError(f"{option} must not be the working folder or a mounted one, got '{path}'; {elsewhere}")
    foreign = _foreign_file(target)
    if foreign is not None:
        raise ConfigError(
            f"{option} must be a new or empty folder or an earlier output, got '{path}', which holds '{foreign}'; "
            f"{elsewhere}"
        )
    if not os.access(target, os.W_OK):
        raise ConfigError(
            f"{option} must be a folder that can be written, got '{path}'; "
            f"nearest legal value is '{path.name}' in a folder of your own"
        )


def _foreign_file(folder: Path) -> str | None:
    """The first file below ``folder`` that is not of the output that its manifest lists."""
    try:
        listed = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        own = {MANIFEST, *listed}
    except (OSError, ValueError, LookupError, TypeError):
        own = set()
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            file = (Path(parent) / name).relative_to(folder).as_posix()
            if file not in own:
                return file
    return None
