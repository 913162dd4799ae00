"""What every command shares with its reader: the --json option, the screen, and where progress and errors are told.

Colour as the terminal and NO_COLOR, FORCE_COLOR and TERM say; what moves is shown on terminals only.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.", show_default=False)]


def screen() -> Console:
    """Where results are printed. In a pipe lines are not wrapped and carry no colour unless FORCE_COLOR asks for it."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=200)


def progress() -> Console:
    """Where it is told what is being done: standard error, a terminal only where that can show what moves."""
    from rich.console import Console

    return Console(
        stderr=True, force_terminal=sys.stderr.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")
    )


def complain(message: str) -> None:
    """Tells an error on standard error, on as many lines as it has, however wide that is."""
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True).print(Text(f"error: {message}", style="red"), soft_wrap=True)
