"""The ways in which the harness refuses or fails; a message is one sentence, details follow on own lines."""

from __future__ import annotations

from pathlib import Path

from tilewright.generators.config.errors import ConfigError


class HarnessError(Exception):
    """Base of all errors of the harness."""


class ToolMissing(HarnessError):
    """A program that is needed is not installed; the message says what to install."""


class InterfaceError(HarnessError, ConfigError):
    """Streams, ports or a run script do not fit the design they are used with."""


class Interrupted(HarnessError):
    """The work was given up, by its owner or because another part of it failed."""


class BuildFailed(HarnessError):
    """Verilator, the C++ compiler or the linker refused the design; the message ends with the tool's own output."""


class SimulationFailed(HarnessError):
    """A run broke a rule, hung, or produced something else than expected.

    Attributes:
        reason: what happened, without seed and replay command.
        cycle: the cycle at which it was noticed, -1 if it has none.
        stream: name of the stream or port concerned, "" if none.
        recording: the file from which the run can be replayed, if it was kept.
    """

    def __init__(
        self, message: str, *, reason: str = "", cycle: int = -1, stream: str = "", recording: Path | None = None
    ) -> None:
        super().__init__(message)
        self.reason = reason or message
        self.cycle = cycle
        self.stream = stream
        self.recording = recording
