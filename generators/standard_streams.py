"""Standard streams that may be closed, full, or left by their reader, without a word at the end of the program."""

from __future__ import annotations

import io
import os
import select
import sys
from typing import Any


class _Output(io.FileIO):
    """A standard stream that is written; ``broken`` tells why it took no more.

    From then on it takes everything: what could not be printed is not tried again.
    """

    broken: OSError | None = None

    def write(self, data: Any, /) -> int:
        if self.broken is None:
            try:
                while (written := super().write(data)) is None:  # others may have told it not to block
                    select.select([], [self], [])
                return written
            except OSError as error:
                self.broken = error
                raise
        return len(data)


class _Silent(_Output):
    """One whose trouble nobody can be told of."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def open_standard_streams() -> None:
    """Prepares ``sys.stdout`` and ``sys.stderr``. What cannot be encoded is printed as an escape sequence.

    Streams that are closed lead nowhere then: the next file that is opened would take their place.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout)
    sys.stderr = _text(_Silent(2, "w", closefd=False), sys.stderr, line_buffering=True)


def broken_stdout() -> OSError | None:
    """Why standard output took no more of what was printed; None where it did."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.broken if isinstance(raw, _Output) else None


def _text(raw: _Output, old: io.TextIOBase | Any, *, line_buffering: bool = False) -> io.TextIOWrapper:
    encoding = old.encoding if old is not None else "utf-8"
    lines = line_buffering or raw.isatty()
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=lines)
