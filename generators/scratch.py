"""A folder for work, which is gone when the work ends in any way."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch_folder(purpose: str) -> Iterator[Path]:
    """A new folder ``tilewright-<purpose>-<random>`` among the temporary files, removed with all that is in it.

    Unlike `tempfile.TemporaryDirectory` it is also removed when an interrupt arrives while it is made or removed.
    """
    folder = Path(tempfile.gettempdir()) / f"tilewright-{purpose}-{secrets.token_hex(8)}"
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        try:
            shutil.rmtree(folder, ignore_errors=True)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
