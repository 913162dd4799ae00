"""A folder of finished things, safe when several processes fill it and when one of them is killed.

An entry is a folder named by the hash of everything that went into it. It is made under a temporary name and
renamed when it is complete, so that an entry that exists is a finished one. A lock per entry lets a second process
wait for the first instead of doing the work twice; the operating system drops it when its owner dies.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tilewright.generators.cache_folder import cache_folder
from tilewright.generators.scratch import named_where_full
from tilewright.sim_tests.harness.errors import HarnessError, Interrupted

#: Entries that nobody used for this long are removed.
UNUSED_SECONDS = 30 * 24 * 3600
#: Unfinished work of a killed process is removed after this long.
ABANDONED_SECONDS = 24 * 3600

_POLL_SECONDS = 0.05


def digest(*parts: object) -> str:
    """Hash of anything that JSON can say; paths and tuples are taken as text and lists."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@contextlib.contextmanager
def _locked(path: Path, stopped: Callable[[], bool]) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        while True:  # no blocking wait: it could not be given up
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if stopped():
                    raise Interrupted(f"gave up waiting for {path.name}") from None
                time.sleep(_POLL_SECONDS)
        yield


def entry(
    kind: str, key: str, make: Callable[[Path], None], stopped: Callable[[], bool] = lambda: False
) -> tuple[Path, bool]:
    """The finished folder ``kind/key`` and whether it was there already.

    ``make`` fills an empty folder; if it raises, or the process dies, no entry appears. While another process makes
    the same entry this one waits, until ``stopped`` says that nobody wants it any more.
    """
    root = cache_folder()
    final = root / kind / key
    if _use(final):
        return final, True
    try:
        (root / "unfinished").mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=root / "unfinished").close()
    except OSError as error:
        raise HarnessError(
            f"the cache folder {root} cannot be written ({error.strerror}); set TILEWRIGHT_CACHE"
        ) from None
    with _locked(root / "locks" / f"{kind}-{key}", stopped):
        if _use(final):
            return final, True
        _remove_old(root)
        work = root / "unfinished" / f"{kind}-{key}-{os.getpid()}"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        try:
            with named_where_full(root):
                make(work)
            final.parent.mkdir(parents=True, exist_ok=True)
            work.rename(final)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return final, False


def _use(final: Path) -> bool:
    """Whether an entry exists; if so, it counts as used now."""
    if not final.is_dir():
        return False
    with contextlib.suppress(OSError):  # a cache that others own can be read all the same
        os.utime(final)
    return True


def _remove_old(root: Path) -> None:
    now = time.time()
    for kind, limit in (("unfinished", ABANDONED_SECONDS), ("builds", UNUSED_SECONDS), ("runtime", UNUSED_SECONDS)):
        for folder in (root / kind).glob("*"):
            with contextlib.suppress(FileNotFoundError):
                if now - folder.stat().st_mtime > limit:
                    shutil.rmtree(folder, ignore_errors=True)
