"""The simulator as a child process that answers questions line by line."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from tilewright.sim_tests.harness.errors import HarnessError


class SimulatorProcess:
    """A running simulator.

    It ends when this process does, however that happens: it looks from time to time whether its commands can still
    come. A command never waits for a dead child.

    Args:
        program: the simulator.
        top: name of the design, for messages.
        files: file descriptors that it inherits.
        mode: which of its interactive runs.
    """

    def __init__(self, program: Path, top: str, files: Sequence[int] = (), mode: str = "axi") -> None:
        self._top = top
        self._ended = ""  # why it was ended from here
        self._said = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [str(program), mode, "0", "1"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            bufsize=1,
            pass_fds=tuple(files),
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """The child's process number."""
        return self._process.pid

    def tell(self, command: str) -> None:
        """Send a command that is not answered."""
        assert self._process.stdin
        try:
            self._process.stdin.write(command + "\n")
        except OSError:
            raise self._broken() from None

    def ask(self, command: str, timeout: float | None = None) -> list[str]:
        """Send a command and return the words of its answer; ``timeout`` in seconds of wall time."""
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(timeout, give_up) if timeout else None
        if timer:
            timer.daemon = True
            timer.start()
        try:
            self.tell(command)
            return self.line().split()
        except HarnessError:
            if late.is_set():
                raise self.give_up(timeout) from None
            raise
        except BaseException:
            self._ended = "was interrupted"
            self.kill()  # its answer would be taken for that to the next question
            raise
        finally:
            if timer:
                timer.cancel()

    def give_up(self, seconds: float | None) -> HarnessError:
        """Ends it because it has taken so long; the error that tells so."""
        self._ended = f"did not answer for {seconds} s"
        self.kill()
        return HarnessError(f"{self._top}: no answer after {seconds} s of wall time")

    def line(self) -> str:
        """The next line of an answer."""
        assert self._process.stdout
        answer = self._process.stdout.readline()
        if not answer.endswith("\n"):
            raise self._broken()
        return answer

    def said(self) -> str:
        """What the design and its run-time library printed."""
        self._said.flush()
        self._said.seek(0)
        return self._said.read().strip()

    def _broken(self) -> HarnessError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self.kill()
        if self._ended:
            return HarnessError(f"the simulation of {self._top} has ended, because it {self._ended}; make another one")
        code = self._process.returncode
        return HarnessError(f"the simulation of {self._top} broke off (code {code}): {self.said()}")

    def kill(self) -> None:
        """End it now."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """Let it end, so that a waveform is complete; kill it if it does not."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
        except BaseException:
            self.kill()
            raise
        finally:
            self._said.close()


def pairs(words: list[str]) -> dict[str, int]:
    """Words of an answer that are names and numbers in turn."""
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}
