"""A folder for work, which is gone when the work ends in any way."""

from __future__ import annotations

import errno
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # told when a file is written, without the file's name


@contextmanager
def named_where_full(folder: Path) -> Iterator[None]:
    """Work that writes below ``folder``: the OSError of a full disk, or of a file that grows too long, names it."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL and error.filename is None:
            error.filename = str(folder)
        raise


@contextmanager
def scratch_folder(purpose: str) -> Iterator[Path]:
    """A new folder ``tilewright-<purpose>-<random>`` among the temporary files, removed with all that is in it.

    Unlike `tempfile.TemporaryDirectory` it is also removed when an interrupt arrives while it is made or removed. The
    OSError of a full disk names the folder of the temporary files.
    """
    folder = Path(tempfile.gettempdir()) / f"tilewright-{purpose}-{secrets.token_hex(8)}"
    try:
        with named_where_full(folder.parent):
            folder.mkdir(mode=0o700)
            yield folder
    finally:
        try:
            shutil.rmtree(folder, ignore_errors=True)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
