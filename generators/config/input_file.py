"""Files that users name. Only ordinary ones are read, so that nothing waits for a pipe or reads a device for ever."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from tilewright.generators.config.errors import ConfigError

LARGEST_TEXT = 1 << 20
"""Bytes of the largest text that is read: a hundred times what any use needs."""

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def read_bytes(path: Path, largest: int) -> bytes:
    """What is in ``path``, at most ``largest`` bytes. Raises OSError, also where it is larger or no ordinary file."""
    check_ordinary(path)
    # Not blocking: a pipe that has just taken its place would be empty.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise OSError(errno.EFBIG, f"it has more than {largest:,} bytes", path)
    return data


def check_ordinary(path: Path) -> None:
    """Raises OSError unless ``path`` is an ordinary file."""
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except ValueError:  # it has a NUL, or half a character
        raise OSError(errno.EINVAL, "no file can have its name", path) from None
    if kind != stat.S_IFREG:
        raise OSError(errno.EINVAL, f"it is {_KINDS.get(kind, 'no file')}, not an ordinary file", path)


def read_text(what: str, path: Path) -> str:
    """The UTF-8 text in ``path``, without a byte order mark; ``what`` is what errors call the file.

    Raises ConfigError where it is not there, cannot be read, or is not UTF-8.
    """
    try:
        return read_bytes(path, LARGEST_TEXT).decode("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{what} {path} does not exist") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{what} {path} must be UTF-8 text, but byte {error.start} is not") from None
    except OSError as error:
        raise ConfigError(f"{what} {path} cannot be read: {error.strerror}") from None
