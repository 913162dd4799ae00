"""Parts of documents that are made from the code.

They stand between the lines ``<!-- generated:NAME -->`` and ``<!-- /generated:NAME -->``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]

_MARKED = re.compile(r"(<!-- generated:([\w-]+) -->\n)(.*?)(<!-- /generated:\2 -->)", re.DOTALL)
_OPENED = re.compile(r"<!-- generated:([\w-]+) -->")


def documents(root: Path = ROOT) -> list[Path]:
    """All documents of the repository ``root``."""
    top = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [*top, *sorted((root / "docs").rglob("*.md")), *sorted((root / "examples").rglob("*.md"))]


def rendered(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """``text`` with ``parts`` between its marks. Raises LookupError for a part that is unknown or not closed."""
    closed = {match[2] for match in _MARKED.finditer(text)}
    for name in _OPENED.findall(text):
        if name not in closed:
            raise LookupError(f"<!-- generated:{name} --> is not closed by <!-- /generated:{name} -->")
        if name not in parts:
            raise LookupError(f"there is no part {name}; there are {', '.join(sorted(parts))}")
    return _MARKED.sub(lambda match: f"{match[1]}{parts[match[2]]()}{match[4]}", text)


def table(heads: Sequence[str], lines: Sequence[Sequence[object]], *, right: Sequence[int] = ()) -> str:
    """A Markdown table; the columns ``right`` are numbers."""
    rule = ["--:" if column in right else "---" for column in range(len(heads))]
    cells = [heads, rule, *([str(cell).replace("|", "\\|") for cell in line] for line in lines)]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells) + "\n"
