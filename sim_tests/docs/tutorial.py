"""The commands of a tutorial, and what it says that they print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    """Commands of one block, and the lines that must be in what they print."""

    commands: str
    printed: tuple[str, ...]


def steps(text: str) -> Iterator[Step]:
    """Blocks of ``sh`` in Markdown ``text``, each with the block of ``text`` that follows it, if one does."""
    blocks = [(match[1], match[2]) for match in _BLOCK.finditer(text)]
    for (kind, block), following in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind == "sh":
            yield Step(block, tuple(following[1].splitlines()) if following[0] == "text" else ())
