"""Text of comments: labels, tables, lines of a fixed width."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 118
FIXED = "\N{NO-BREAK SPACE}"
"""A space at which no line is broken; it comes out as a plain one."""
_UNBROKEN = re.compile(r"\w+(?: [=+@*/x-] \w+)+|an? [A-Z]+ record")
"""Formulas and names of records, which stay on one line."""


def count(number: int, noun: str) -> str:
    """A number of things: "1 row", "2 rows"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def bits(low: int, width: int) -> str:
    """A range of bits as Verilog writes it, the highest first."""
    return f"{low + width - 1}:{low}" if width > 1 else str(low)


def table(rows: Sequence[tuple[str, str]]) -> Iterable[str]:
    """Lines of two columns; the right one is broken where it is too long."""
    space = max(len(left) for left, _ in rows)
    for left, right in rows:
        whole = _UNBROKEN.sub(lambda match: match[0].replace(" ", FIXED), right)
        yield from broken(f"  {left:{space}}  {whole}", space + 4)


def wrapped(label: str, text: str) -> Iterable[str]:
    """``label: text`` in lines."""
    indent = len(label) - len(label.lstrip()) + 4
    return broken(f"{label}: {text}", indent)


def broken(text: str, indent: int) -> Iterable[str]:
    """``text`` in lines, broken at no space that is fixed."""
    for line in textwrap.wrap(
        text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False
    ):
        yield line.replace(FIXED, " ")
