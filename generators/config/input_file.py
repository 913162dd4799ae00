"""Files that users name: ordinary ones, and texts in pipes, so far as they end; nothing reads a device for ever."""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from pathlib import Path

from tilewright.generators.config.errors import ConfigError

LARGEST_TEXT = 1 << 20
"""Bytes of the largest text that is read: a hundred times what any use needs."""

PATIENCE = 10.0
"""Seconds for which a pipe is waited for."""

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
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        data = file.read(largest + 1)
    return _limited(data, largest, path)


def read_pipe(path: Path, largest: int) -> bytes:
    """What is written into the pipe ``path``, at most ``largest`` bytes, until all writers have closed it.

    Raises OSError where that is more, or nothing, or takes longer than `PATIENCE`.
    """
    data, end = b"", time.monotonic() + PATIENCE
    file = os.open(path, _FLAGS)
    try:
        more = select.poll()
        more.register(file, select.POLLIN)
        while len(data) <= largest:
            try:
                part = os.read(file, largest + 1 - len(data))
            except BlockingIOError:  # there is a writer, who has nothing yet
                if not more.poll(1000 * max(0.0, end - time.monotonic())):
                    raise OSError(errno.ETIMEDOUT, f"the pipe does not end within {PATIENCE:.0f} s", path) from None
                continue
            if not part:
                break
            data += part
    finally:
        os.close(file)
    if not data:
        raise OSError(errno.ENODATA, "nobody writes into the pipe", path)
    return _limited(data, largest, path)


_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def _limited(data: bytes, largest: int, path: Path) -> bytes:
    if len(data) > largest:
        raise OSError(errno.EFBIG, f"it has more than {largest:,} bytes", path)
    return data


def check_ordinary(path: Path) -> None:
    """Raises OSError unless ``path`` is an ordinary file."""
    kind = _kind(path)
    if kind != stat.S_IFREG:
        raise OSError(errno.EINVAL, f"it is {_KINDS.get(kind, 'no file')}, not an ordinary file", path)


def _kind(path: Path) -> int:
    try:
        return stat.S_IFMT(path.stat().st_mode)
    except ValueError:  # it has a NUL, or half a character
        raise OSError(errno.EINVAL, "no file can have its name", path) from None


def read_text(what: str, path: Path) -> str:
    """The UTF-8 text in the file or pipe ``path``, without a byte order mark; ``what`` is what errors call it.

    Raises ConfigError where it is not there, cannot be read, or is not UTF-8.
    """
    try:
        read = read_pipe if _kind(path) == stat.S_IFIFO else read_bytes
        return read(path, LARGEST_TEXT).decode("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{what} {path} does not exist") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{what} {path} must be UTF-8 text, but byte {error.start} is not") from None
    except OSError as error:
        raise ConfigError(f"{what} {path} cannot be read: {error.strerror}") from None
