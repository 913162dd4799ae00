"""Command lines that a command shows its reader to type next."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def command_line(*words: object) -> str:
    """The line that starts this program with ``words``, as it was started now."""
    program = sys.argv[0] if Path(sys.argv[0]).name == "tilewright" else "tilewright"
    return shlex.join([program, *map(str, words)])


def replay_line(recording: Path) -> str:
    """The line that runs a recorded failure again."""
    return command_line("verify", "--replay", recording)
