"""What a run that takes long shows on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def on_a_terminal() -> bool:
    """Whether standard error can show what moves."""
    return sys.stderr.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


@contextmanager
def run_progress(transport: Any, expected: int, *, shown: bool) -> Iterator[None]:
    """While in the block, a bar of the cycles of a run, of those ``expected``, where ``transport`` tells of them.

    A transport that does has an attribute ``told``, which it calls from time to time with the
    cycles that a run has taken so far.
    """
    if not shown or not hasattr(transport, "told"):
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(20), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"simulating about {expected:,} cycles", total=expected)
        transport.told = lambda cycles: bar.update(task, completed=min(cycles, expected))
        try:
            yield
        finally:
            transport.told = None
