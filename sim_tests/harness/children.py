"""Child processes that do not outlive the work they belong to."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tilewright.sim_tests.harness.errors import Interrupted


@dataclass(frozen=True)
class Finished:
    """Exit code and merged output of a process that ended by itself; ``timed_out`` if it was killed for its time."""

    code: int
    output: str
    timed_out: bool = False


class Children:
    """Runs processes, from any thread, and kills those still alive when the ``with`` block ends in any way.

    Each process leads its own process group, so that a compiler's own children die with it.

    Args:
        at_once: how many processes may run at the same time; others wait. Unlimited if ``None``.
    """

    def __init__(self, at_once: int | None = None) -> None:
        self._turn = threading.Semaphore(at_once) if at_once else contextlib.nullcontext()
        self._alive: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def __enter__(self) -> Children:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def run(
        self,
        command: Sequence[str | Path],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Finished:
        """Run ``command`` to its end; standard error joins the output. ``timeout`` is in seconds.

        Temporary files of a process that works in a folder ``cwd`` are there, too: a killed one leaves them behind.
        """
        with self._turn:
            return self._run(command, cwd, env, timeout)

    def _run(
        self, command: Sequence[str | Path], cwd: Path | None, env: Mapping[str, str] | None, timeout: float | None
    ) -> Finished:
        with self._lock:
            if self._stopped:
                raise Interrupted(f"{Path(command[0]).name} was not started: the work was given up")
            process = subprocess.Popen(
                [str(word) for word in command],
                cwd=cwd,
                env={**(os.environ if env is None else env), **({"TMPDIR": str(cwd.absolute())} if cwd else {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            self._alive.add(process)
        late = False
        try:
            try:
                output, _ = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                late = True
                self._kill(process)
                output, _ = process.communicate()
        except BaseException:
            self._kill(process)
            process.communicate()
            raise
        finally:
            with self._lock:
                self._alive.discard(process)
        if self._stopped:
            raise Interrupted(f"{Path(command[0]).name} was stopped: the work was given up")
        return Finished(process.returncode, output, late)

    @property
    def stopped(self) -> bool:
        """Whether the work was given up."""
        return self._stopped

    def kill(self) -> None:
        """Kill what still runs; later calls of :meth:`run` are refused."""
        with self._lock:
            self._stopped = True
            alive = list(self._alive)
        for process in alive:
            self._kill(process)

    @staticmethod
    def _kill(process: subprocess.Popen[str]) -> None:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
