"""A session in one file: sources, ports, commands, and what the memory held at the start."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tilewright.generators.cache_folder import cache_folder
from tilewright.generators.whole_file import write_whole
from tilewright.sim_tests.harness.axi_plan import AxiPlan
from tilewright.sim_tests.harness.build import BuildSpec
from tilewright.sim_tests.harness.cache import digest
from tilewright.sim_tests.harness.errors import HarnessError, SimulationFailed
from tilewright.sim_tests.harness.recording import KEPT, read_interface

#: Bytes of memory that a recording holds at most; the memory of a session that needs more is not kept.
MOST_KEPT = 64 << 20

Extents = list[tuple[int, bytes]]


def extents(file: int, most: int | None = None) -> Extents | None:
    """The parts of a sparse file that hold anything; ``None`` if they are more than ``most`` bytes."""
    found: Extents = []
    most = MOST_KEPT if most is None else most
    size, at = os.fstat(file).st_size, 0
    while at < size:
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
        except OSError:  # nothing but holes up to the end
            break
        at = os.lseek(file, start, os.SEEK_HOLE)
        most -= at - start
        if most < 0:
            return None
        found.append((start, os.pread(file, at - start, start)))
    return found


class AxiRecorder:
    """Keeps what a session was told.

    The memory is remembered when the first cycle is asked for; later changes only where :meth:`load` made them.
    """

    def __init__(self, spec: BuildSpec, plan: AxiPlan, file: int) -> None:
        self._spec, self._plan, self._file = spec, plan, file
        self._events: list[str | tuple[int, bytes]] = []
        self._memory: Extents | None = None
        self._began = False

    def command(self, line: str) -> None:
        """Remember a command that is about to be sent."""
        word = line.split()[0]
        if word in ("begin", "counters", "coverage", "packets", "violations"):
            return
        if not self._began and word in ("run", "interrupt", "write", "read"):
            self._began = True
            self._memory = extents(self._file)
        self._events.append(line)

    def load(self, start: int, data: bytes) -> None:
        """Remember bytes that are about to be written to the memory, from its byte ``start`` on."""
        if self._began:
            self._events.append((start, data))

    def failure(self, reason: str, cycle: int, stream: str) -> SimulationFailed:
        """The exception, with the command that replays the session."""
        kept, note = None, "none, the memory holds too much"
        if self._memory is not None or not self._began:
            kept = self.keep(reason)
            note = f"{shlex.quote(sys.executable)} -m tilewright.sim_tests.harness.axi_replay {shlex.quote(str(kept))}"
        message = f"{self._spec.interface.top}, seed {self._plan.seed}: {reason}\nreplay: {note}"
        return SimulationFailed(message, reason=reason, cycle=cycle, stream=stream, recording=kept)

    def keep(self, reason: str) -> Path:
        """Write the file to ``$TILEWRIGHT_FAILURES``, else to the cache."""
        folder = Path(os.environ.get("TILEWRIGHT_FAILURES") or cache_folder() / "failures").absolute()
        folder.mkdir(parents=True, exist_ok=True)
        blobs: list[bytes] = []
        events: list[Any] = []
        for event in [*(self._memory or []), *self._events]:
            if isinstance(event, str):
                events.append(event)
            else:
                events.append([event[0], len(blobs)])
                blobs.append(event[1])
        about = {
            "reason": reason,
            "sources": dict(self._spec.sources),
            "interface": asdict(self._spec.interface),
            "vlt": self._spec.vlt,
            "plan": asdict(self._plan),
            "events": events,
        }
        text = json.dumps(about, indent=1)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("session.json", text)
            for index, blob in enumerate(blobs):
                archive.writestr(f"{index}.bin", blob)
        path = folder / f"{self._spec.interface.top}-axi-{digest(text)[:12]}.zip"
        write_whole(path, buffer.getvalue())
        for old in sorted(folder.glob("*-axi-*.zip"), key=lambda file: file.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
        return path


def load(path: Path) -> tuple[BuildSpec, AxiPlan, list[str | tuple[int, bytes]], str]:
    """Sources, plan, events and reason of a recorded session."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(archive.read("session.json"))
            events = [
                event if isinstance(event, str) else (int(event[0]), archive.read(f"{event[1]}.bin"))
                for event in about["events"]
            ]
        spec = BuildSpec(about["sources"], read_interface(about["interface"]), about["vlt"])
        return spec, AxiPlan(**about["plan"]), events, about["reason"]
    except OSError as error:
        raise HarnessError(f"the recorded session {path} cannot be read: {error.strerror or error}") from None
    except Exception:  # whatever a foreign file makes the libraries say
        raise HarnessError(f"{path} is not a recorded session") from None
