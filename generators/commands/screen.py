"""What every command shares with its reader: the --json option and the screen."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.", show_default=False)]


def screen() -> Console:
    """Where results are printed. In a pipe lines are not wrapped and carry no colour."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=200)
