"""A file that appears whole or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """The name under which ``path`` is written: renamed when all is written, removed where an error ends it."""
    aside = path.with_name(f".{path.name}.new-{secrets.token_hex(4)}")
    try:
        yield aside
        aside.replace(path)
    finally:
        try:
            aside.unlink(missing_ok=True)
        except BaseException:  # an interrupt that arrives now must not keep it from being done
            aside.unlink(missing_ok=True)
            raise


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes ``content``; line ends stay as they are."""
    with whole_file(path) as aside:
        aside.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
