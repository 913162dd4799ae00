"""An output folder that appears whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Self

from tilewright.generators.config.errors import ConfigError, shown
from tilewright.generators.config.input_file import LARGEST_TEXT, read_bytes

MANIFEST = "manifest.json"  # lists the files of an earlier output, which may be replaced while they are unchanged
TOOL = "tilewright"


class OutputFolder:
    """The folder ``path``, named by ``option``: prepared before any work and published, once, after it.

    A context: when it is left without ``publish``, by an error or an interrupt too, all is as it was.
    Raises ConfigError where ``path`` is a file or holds anything that is not, unchanged, an earlier output: at once,
    and in ``publish`` where that has come to be meanwhile.
    """

    def __init__(self, option: str, path: Path) -> None:
        self._option, self._path = option, path
        try:
            self._target = Path(os.path.realpath(path))
        except ValueError:  # it has a NUL, or half a character
            raise ConfigError(
                f"{option} must be a folder, got {shown(str(path))}: no file can have its name; "
                f"nearest legal value is 'out'"
            ) from None
        with self._told():
            _check_replaceable(option, path, self._target)
        self._staging, self._retired = _beside(self._target, "new"), _beside(self._target, "old")
        self._parents: list[Path] = []

    def __enter__(self) -> Self:
        # Creates nothing: an interrupt between this and the body would leave it behind.
        return self

    def prepare(self) -> None:
        """Makes sure that the folder can be written. Raises ConfigError where it cannot."""
        with self._told():
            _make_parents(self._target.parent, self._parents)
            self._staging.mkdir()

    def publish(self, files: Mapping[str, str | bytes]) -> None:
        """Writes ``files`` (name relative to the folder, text or bytes) aside, then puts them in place by renaming.

        Raises ConfigError where they cannot be written, or where the folder may not be replaced any more.
        """
        with self._told():
            for name, text in files.items():
                path = self._staging / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
            if self._target.exists():
                self._target.rename(self._retired)
                _check_replaceable(self._option, self._path, self._retired)  # what came while the work was done
            self._staging.rename(self._target)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Words what the file system refuses: no space, no permission, a name too long, links that go in circles."""
        try:
            yield
        except OSError as error:
            raise ConfigError(_not_writable(self._option, self._path, error.strerror)) from None

    def __exit__(self, *exception: object) -> None:
        try:
            self._clear()
        except BaseException:  # an interrupt that arrives now must not keep it from being done
            self._clear()
            raise

    def _clear(self) -> None:
        if self._retired.exists() and not self._target.exists():
            self._retired.rename(self._target)
        for folder in (self._staging, self._retired):
            shutil.rmtree(folder, ignore_errors=True)
        for parent in reversed(self._parents):
            if parent.exists() and not any(parent.iterdir()):
                parent.rmdir()


def _not_writable(option: str, path: Path, reason: str | None) -> str:
    return (
        f"{option} must be a folder that can be written, got '{path}': {reason}; "
        f"nearest legal value is '{path.name}' in a folder of your own"
    )


def _beside(target: Path, role: str) -> Path:
    return target.with_name(f".{target.name}.{role}-{secrets.token_hex(4)}")


def _make_parents(folder: Path, created: list[Path]) -> None:
    if not folder.exists():
        _make_parents(folder.parent, created)
        created.append(folder)  # before it is there: an interrupt that arrives right after it must not leave it behind
        try:
            folder.mkdir()
        except OSError:
            created.remove(folder)
            raise


def _check_replaceable(option: str, path: Path, target: Path) -> None:
    if target.is_symlink():  # a resolved path is still a link where links go in circles
        raise ConfigError(_not_writable(option, path, os.strerror(errno.ELOOP)))
    if not target.exists():
        return
    if not target.is_dir():
        raise ConfigError(
            f"{option} must be a folder, got the existing file '{path}'; nearest legal value is "
            f"'{_free(path.with_name(path.name + '.out'))}'"
        )
    elsewhere = f"nearest legal value is '{_free(path / 'tilewright')}'"
    if Path.cwd().is_relative_to(target) or target.is_mount():  # neither can be put in place by renaming
        raise ConfigError(f"{option} must not be the working folder or a mounted one, got '{path}'; {elsewhere}")
    foreign = _foreign_file(target)
    if foreign is not None:
        raise ConfigError(
            f"{option} must be a new or empty folder or an earlier output, got '{path}', which holds {foreign}; "
            f"{elsewhere}"
        )
    if not os.access(target, os.W_OK):
        raise ConfigError(_not_writable(option, path, "Permission denied"))


def _free(path: Path) -> Path:
    """``path``, numbered where it exists already."""
    numbered = (path.with_name(f"{path.name}-{number}") for number in count(2))
    return next(free for free in chain([path], numbered) if not os.path.lexists(free))


def _foreign_file(folder: Path) -> str | None:
    """The first thing below ``folder`` that is not, as it stands, of an earlier output; links are nobody's output."""
    own = _own_files(folder)
    folders = {parent.as_posix() for name in own for parent in Path(name).parents}
    for parent, names, files in os.walk(folder):
        for name in sorted([*names, *files]):
            path = Path(parent) / name
            place = path.relative_to(folder).as_posix()
            if path.is_symlink() or place not in (folders if name in names else own):
                return f"'{place}'"
            if name not in names and not path.is_file():  # a pipe or a device: nobody's output, and not to be read
                return f"'{place}'"
            if place != MANIFEST and name not in names and own[place] != _hash(path):
                return f"'{place}', changed since it was generated"
    return None


def _own_files(folder: Path) -> dict[str, object]:
    """Hashes of the files that Tilewright's manifest in ``folder`` lists, and its own name. Nothing without one."""
    try:
        manifest = json.loads(read_bytes(folder / MANIFEST, LARGEST_TEXT))
        if manifest["tool"] != TOOL:
            return {}
        return {MANIFEST: None, **{name: entry["sha256"] for name, entry in manifest["files"].items()}}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
