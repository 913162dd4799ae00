"""The only place that runs Yosys: in processes of its own, so that its errors can be told and its work be stopped."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import weakref
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from tilewright.generators.emit import yosys_worker
from tilewright.generators.scratch import scratch_folder

_REMEMBERED = 100  # lines of what Yosys says, in which its error is looked for


class YosysFailed(RuntimeError):
    """A command of Yosys failed, or Yosys was stopped; the message ends with the last that it said."""


class Yosys:
    """Yosys with one netlist. Its process ends with the ``with`` block, or when the object is forgotten.

    ``folder`` is where relative file names of commands, and Yosys's own temporary files, are.
    """

    def __init__(self, folder: Path | None = None) -> None:
        environment = {**os.environ, "PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8"}
        if folder is not None:
            environment["TMPDIR"] = str(folder)
        self._process = subprocess.Popen(
            [sys.executable, "-P", yosys_worker.__file__],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # an interrupt of the terminal reaches who waits for it, and that ends it
        )
        self._end = weakref.finalize(self, _end, self._process)
        self.seconds = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._end()

    def run(self, commands: Sequence[str]) -> None:
        """Runs commands, silently. Raises YosysFailed when one fails; the netlist is lost then.

        ``seconds`` are the processor seconds that all commands so far have taken.
        """
        process, said = self._process, deque[str](maxlen=_REMEMBERED)
        assert process.stdin is not None and process.stdout is not None
        try:
            with contextlib.suppress(BrokenPipeError):  # it has ended; what it said tells why
                process.stdin.write("".join(f"{command}\n" for command in commands) + "\n")
                process.stdin.flush()
            for line in process.stdout:
                text, done, seconds = line.rpartition(yosys_worker.DONE)
                if done:
                    self.seconds = float(seconds)
                    return
                said.append(text or line)
            raise YosysFailed(f"Yosys failed: {_reason(said) or f'it ended with code {process.wait()}'}")
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stops what runs, from any thread; it then fails."""
        _kill(self._process)


def run(commands: Sequence[str], yosys: Yosys | None = None) -> Yosys:
    """Runs Yosys commands, silently, on the netlist of ``yosys`` or on a new one. Raises YosysFailed when one fails."""
    yosys = yosys or Yosys()
    yosys.run(commands)
    return yosys


CLEANING = (
    "proc -norom",
    "opt_expr -keepdc",
    "opt_muxtree",
    "opt_merge",
    "opt_expr -keepdc",
    "opt_clean",  # aliases of a register would keep its initial value where a part of it turns out constant
    "opt_dff -nodffe -nosdff",  # registers that never change; enables and resets stay multiplexers
    "setattr -unset init w:*",  # reset says where registers start
    "opt_clean -purge",
)
"""From processes to operators and registers, without what is constant, double or unused."""


def cleaned(rtlil: str) -> str:
    """RTLIL text ``rtlil`` as operators, registers and instances.

    Raises OSError where the disk is too full for it.
    """
    with scratch_folder("emit") as folder, Yosys(folder) as yosys:
        (folder / "source.il").write_text(rtlil, encoding="utf-8")
        yosys.run(["read_rtlil source.il", *CLEANING, "write_rtlil target.il"])
        done = (folder / "target.il").read_text(encoding="utf-8")
        if _modules(done) != _modules(rtlil) or not done.endswith("\nend\n"):  # Yosys itself does not notice
            raise OSError(errno.EIO, "what Yosys wrote is not whole, the disk may be full", str(folder.parent))
        return done


def _modules(rtlil: str) -> int:
    return sum(line.startswith("module ") for line in rtlil.splitlines())


def _reason(said: Sequence[str]) -> str:
    """The error among the lines that Yosys said, else the last of them."""
    lines = [line.strip() for line in said if line.strip()]
    return next((line for line in reversed(lines) if "ERROR: " in line), lines[-1] if lines else "")


def _kill(process: subprocess.Popen[str]) -> None:
    """Kills the process and those that it started, while it is there."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _end(process: subprocess.Popen[str]) -> None:
    _kill(process)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):  # commands that it did not read
                pipe.close()
