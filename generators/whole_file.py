"""A file that appears whole or not at all."""

from __future__ import annotations

import secrets
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes ``content`` aside and puts it in place of ``path`` by renaming; line ends stay as they are."""
    aside = path.with_name(f".{path.name}.new-{secrets.token_hex(4)}")
    try:
        aside.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        aside.replace(path)
    finally:
        try:
            aside.unlink(missing_ok=True)
        except BaseException:  # an interrupt that arrives now must not keep it from being done
            aside.unlink(missing_ok=True)
            raise
