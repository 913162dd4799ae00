"""Tools that come as Python packages, each call in a process of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tilewright.fpga.flow import tool_worker
from tilewright.fpga.flow.failed import BuildFailed
from tilewright.fpga.flow.step import Step
from tilewright.generators.config.errors import ConfigError


@dataclass(frozen=True)
class Tool:
    """A command, and where it is found.

    Attributes:
        name: of the command.
        package: which PyPI package brings it.
        module, function: what takes its words and gives its exit code.
    """

    name: str
    package: str
    module: str
    function: str

    def version(self) -> str:
        """Of the package. Raises ConfigError where it is not installed."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            raise ConfigError(
                f"{self.name} must be installed for this, {self.package} is not; "
                f"nearest legal step is pip install 'tilewright[fpga]'"
            ) from None

    def step(self, name: str, words: Sequence[str]) -> Step:
        """Running it as a step of a build."""
        return Step(name, tuple(words), lambda folder: self.run(words, folder))

    def run(self, words: Sequence[str], folder: Path) -> float:
        """Runs it in ``folder``, where ``<name>.log`` takes what it says; gives its processor seconds.

        Raises BuildFailed, with its error, where it fails. It ends with an exception that comes meanwhile.
        """
        log = folder / f"{self.name}.log"
        command = [sys.executable, "-P", tool_worker.__file__, self.module, self.function, *words]
        with log.open("wb") as said:
            process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # an interrupt of the terminal reaches who waits for it, and that ends it
            )
            try:
                _, status, used = os.wait4(process.pid, 0)
            except BaseException:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise BuildFailed(f"{self.name} failed: {_reason(log) or f'it ended with code {process.returncode}'}")
        return used.ru_utime + used.ru_stime


def _reason(log: Path) -> str:
    """The error among the lines of a log, else the last of them."""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return next((line for line in lines if line.startswith("ERROR")), lines[-1] if lines else "")
