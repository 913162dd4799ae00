"""Tables of results: no name and no number is cut, on a screen of any width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilewright.generators.commands.screen import screen

if TYPE_CHECKING:
    from rich.text import Text

PLAIN_WIDTH = 80  # of tables where no terminal says how wide it is
_GAP = 2  # blanks between columns
_PROSE = 24  # columns that prose asks for at least


@dataclass(frozen=True)
class Column:
    """A column: ``right`` for numbers; ``prose`` may be broken into lines; ``spare`` is left out where space is."""

    heading: str
    right: bool = False
    prose: bool = False
    spare: bool = False


def show(columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], title: str = "") -> None:
    """Prints ``rows``. Where a table of them is too wide for the screen, each row is a block of lines instead.

    Text is printed as it is; none of it is markup.
    """
    from rich.text import Text

    console = screen()
    width = console.width if console.is_terminal else PLAIN_WIDTH
    cells = [[Text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    if title:
        console.print(Text(title, style="bold"), soft_wrap=True)
    if _width(columns, cells) > width:
        kept = [index for index, column in enumerate(columns) if not column.spare]
        columns, cells = [columns[index] for index in kept], [[row[index] for index in kept] for row in cells]
    if _width(columns, cells) > width:
        _blocks(columns, cells)
    else:
        _table(columns, cells, width)


def mark(good: bool, right: str = "ok", wrong: str = "FAILED", colour: str = "red") -> Text:
    """A word for what is right, in green, or for what is not."""
    from rich.text import Text

    return Text(right, style="green") if good else Text(wrong, style=colour)


def percent(share: float) -> str:
    """``share`` of 1 in percent; "100.0%" is said of nothing less than the whole."""
    return f"{min(share, 0.999) if share < 1 else share:.1%}"


def counted(number: int, thing: str) -> str:
    """ "1 test", "2 tests"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _width(columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> int:
    """What a table needs at least."""
    total = _GAP * (len(columns) - 1)
    for index, column in enumerate(columns):
        widest = max((line.cell_len for row in rows for line in row[index].split()), default=0)
        total += max(*map(len, column.heading.split("\n")), min(widest, _PROSE) if column.prose else widest)
    return total


def _table(columns: Sequence[Column], rows: Sequence[Sequence[Text]], width: int) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, _GAP - 1, 0, 0), pad_edge=False)
    for column in columns:
        table.add_column(
            Text(column.heading),
            justify="right" if column.right else "left",
            no_wrap=not column.prose,
            overflow="fold",
            vertical="top",
        )
    for row in rows:
        table.add_row(*row)
    screen().print(table, width=width)


def _blocks(columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> None:
    from rich.text import Text

    names = [" ".join(column.heading.split()) for column in columns]
    longest = max(map(len, names))
    for row in rows:
        for name, cell in zip(names, row, strict=True):
            screen().print(Text.assemble(name.ljust(longest + _GAP), cell), soft_wrap=True)
        screen().print()
