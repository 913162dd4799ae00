"""How errors end a command: the exit code, and what is told."""

from __future__ import annotations

import errno
import traceback
from dataclasses import dataclass
from pathlib import Path

import typer

from tilewright.generators.config.errors import ConfigError, unknown
from tilewright.generators.standard_streams import broken_stdout


class CheckFailed(Exception):
    """What was to be checked is not right; details may follow the first line."""


@dataclass(frozen=True)
class Verdict:
    """Exit code, and what is told: a sentence for each thing that is wrong, or one with details in further lines."""

    code: int
    text: str
    detailed: bool = False

    @property
    def messages(self) -> list[str]:
        """What is told, piece by piece."""
        return [self.text] if self.detailed else self.text.splitlines()


def verdict(error: Exception) -> Verdict:
    """What ``error``, raised by a command, means. ``text`` is "" where nobody is there to be told."""
    if isinstance(error, typer.TyperException):  # the words do not fit the command
        return Verdict(2, _words(error))
    if isinstance(error, ConfigError):
        return Verdict(2, str(error))
    if isinstance(error, CheckFailed):
        return Verdict(1, str(error), detailed=True)
    if isinstance(error, OSError):
        return _of_the_system(error)
    if isinstance(error, MemoryError):
        return Verdict(2, "there must be more memory for this, all of it is in use")
    return _fault(error)


def _words(error: typer.TyperException) -> str:
    """What is wrong with the words of the command line."""
    option, command = getattr(error, "option_name", None), getattr(error, "cmd", None)
    if hasattr(error, "possibilities") and option is not None and command is not None:  # there is no such option
        return unknown("option", option, [name for parameter in command.params for name in parameter.opts])
    return error.format_message()


def _of_the_system(error: OSError) -> Verdict:
    broken = broken_stdout()
    if broken is not None and broken.errno == errno.EPIPE:
        return Verdict(141, "")
    if broken is not None:
        return Verdict(2, f"standard output must take what is printed, but it cannot be written: {broken.strerror}")
    place = f"{error.filename} cannot be used" if error.filename else "a file cannot be used"
    return Verdict(2, f"{place}: {error.strerror or error}")


def _fault(error: Exception) -> Verdict:
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}, line {last.lineno}"
    said = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return Verdict(
        70, f"a fault of Tilewright itself, to be reported, at {place}: {said}; TILEWRIGHT_TRACEBACK=1 shows all of it"
    )
