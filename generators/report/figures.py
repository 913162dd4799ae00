"""Measured figures: kept as files, and shown in documents only through them.

A document shows the figures of a bench between the lines ``<!-- figures:NAME -->`` and ``<!-- /figures:NAME -->``;
``python -m tilewright.generators.report.figures`` in the repository writes what is between them anew.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

RESULTS = Path("benchmarks") / "results"

_MARKED = re.compile(r"(<!-- figures:([\w-]+) -->\n)(.*?)(<!-- /figures:\2 -->)", re.DOTALL)
_OPENED = re.compile(r"<!-- figures:([\w-]+) -->")


@dataclass(frozen=True)
class Figure:
    """One number: ``what`` was measured of ``of``; ``least`` and ``most`` are its goal, where it has one."""

    of: str
    what: str
    value: float
    unit: str
    least: float | None = None
    most: float | None = None

    @property
    def met(self) -> bool:
        """Whether it reaches its goal."""
        return (self.least is None or self.value >= self.least) and (self.most is None or self.value <= self.most)

    def __str__(self) -> str:
        text = number(self.value)
        for sign, limit in (("≥", self.least), ("≤", self.most)):
            if limit is not None and limit == self.value == 0:
                text += " (goal)"
            elif limit is not None:
                text += f" ({sign} {number(limit)})"
        return text if self.met else f"{text} **missed**"


@dataclass(frozen=True)
class Bench:
    """What a bench found: its figures, the command that measures them again, the commit and tools it was run on."""

    name: str
    title: str
    command: str
    commit: str
    tools: Mapping[str, str]
    figures: tuple[Figure, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """The bench kept in ``path``."""
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return cls(**kept | {"figures": tuple(Figure(**figure) for figure in kept["figures"])})

    def write(self, folder: Path) -> Path:
        """Keeps it as ``folder/name.json``."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path

    def missed(self) -> list[Figure]:
        """Figures that do not reach their goal."""
        return [figure for figure in self.figures if not figure.met]

    def table(self) -> str:
        """The figures in Markdown: a line for each ``of``, a column for each ``what``, goals in brackets."""
        columns = list(dict.fromkeys((f.what, f.unit) for f in self.figures))
        heads = [what if unit == "" else f"{what} ({unit})" for what, unit in columns]
        lines = [["", *heads], ["---", *("--:" for _ in heads)]]
        for of in dict.fromkeys(f.of for f in self.figures):
            cells = {(f.what, f.unit): str(f) for f in self.figures if f.of == of}
            lines.append([of, *(cells.get(column, "") for column in columns)])
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        tools = ", ".join(f"{tool} {version}" for tool, version in self.tools.items())
        return f"{table}\n\n`{self.command}`, commit {self.commit}; {tools}\n"


def number(value: float) -> str:
    """``value`` as documents write it: thousands grouped, four significant digits of a fraction."""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def rendered(text: str, benches: Mapping[str, Bench]) -> str:
    """``text`` of a document with the figures of ``benches`` between its marks.

    Raises LookupError where a mark names a bench that has no results, or is not closed.
    """
    closed = {match[2] for match in _MARKED.finditer(text)}
    for name in _OPENED.findall(text):
        if name not in closed:
            raise LookupError(f"<!-- figures:{name} --> is not closed by <!-- /figures:{name} -->")
        if name not in benches:
            raise LookupError(f"there are no results of {name}; have are {', '.join(sorted(benches)) or 'none'}")
    return _MARKED.sub(lambda match: f"{match[1]}{benches[match[2]].table()}{match[4]}", text)


def documents(root: Path) -> list[Path]:
    """The documents of the repository ``root`` that may show figures."""
    pages = [page for folder in ("docs", "examples") for page in sorted((root / folder).rglob("*.md"))]
    return [root / "README.md", *pages]


def results(root: Path) -> dict[str, Bench]:
    """All results kept in the repository ``root``, by name."""
    return {path.stem: Bench.read(path) for path in sorted((root / RESULTS).glob("*.json"))}


def stale(root: Path) -> Iterable[tuple[Path, str]]:
    """Documents that do not show the results as they are, each with what it should be."""
    benches = results(root)
    for path in documents(root):
        text = path.read_text(encoding="utf-8")
        fresh = rendered(text, benches)
        if fresh != text:
            yield path, fresh


def main(root: Path) -> int:
    """Writes the figures into all documents of ``root``; tells what changed."""
    try:
        for path, fresh in list(stale(root)):
            path.write_text(fresh, encoding="utf-8")
            print(f"figures of {path.relative_to(root)} written")
    except LookupError as error:
        print(f"error: {error.args[0]}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(Path.cwd()))
