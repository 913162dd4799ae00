"""A run in one file: sources, ports and plan. Enough to run it again anywhere, and to judge it again."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.cache_folder import cache_folder
from tilewright.generators.config.input_file import check_ordinary
from tilewright.generators.whole_file import write_whole
from tilewright.sim_tests.harness.build import BuildSpec
from tilewright.sim_tests.harness.cache import digest
from tilewright.sim_tests.harness.errors import HarnessError
from tilewright.sim_tests.harness.ports import Interface, StreamPort
from tilewright.sim_tests.harness.script import Condition, Limits, Plan, StreamScript, condition_table
from tilewright.sim_tests.harness.stall import Stall

#: Failed runs that are kept for replay; older ones are removed.
KEPT = 20

#: All files of an archive bear this date, so that equal runs give equal files.
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Recording:
    """A run: what is built, what it does, and what was found wrong with it (``""`` if nothing)."""

    spec: BuildSpec
    plan: Plan
    reason: str = ""

    def save(self, path: Path) -> None:
        """Write the file; a file of that name is replaced when the new one is complete."""
        spec, plan = self.spec, self.plan
        about = {
            "reason": self.reason,
            "sources": dict(spec.sources),
            "interface": asdict(spec.interface),
            "vlt": spec.vlt,
            "seed": plan.seed,
            "limits": asdict(plan.limits),
            "pulses": plan.pulses,
            "constants": plan.constants,
            "groups": plan.groups,
            "streams": [{"stall": asdict(stream.stall), "expected": stream.expected} for stream in plan.streams],
        }
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            _put(archive, "run.json", json.dumps(about, indent=1).encode())
            for index, (port, stream) in enumerate(zip(spec.interface.streams, plan.streams, strict=True)):
                _put_array(archive, f"{index}.conditions.npy", condition_table(stream))
                _put_array(archive, f"{index}.send.npy", stream.payload(port.words))
                for name, beats in (("wanted", stream.wanted), ("mask", stream.mask)):
                    if beats is not None:
                        _put_array(archive, f"{index}.{name}.npy", beats)
        write_whole(path, file.getvalue())

    @staticmethod
    def load(path: Path) -> Recording:
        """Read a file that :meth:`save` wrote; HarnessError where it is none."""
        try:
            check_ordinary(path)
            with zipfile.ZipFile(path) as archive:
                about: dict[str, Any] = json.loads(archive.read("run.json"))
                stored = [name for name in archive.namelist() if name.endswith(".npy")]
                arrays = {name: np.load(io.BytesIO(archive.read(name))) for name in stored}
            recording = _recording(about, arrays)
            recording.plan.script(recording.spec.interface)  # everything is there, and of its type
        except FileNotFoundError:
            raise HarnessError(f"there is no recorded run {path}") from None
        except OSError as error:
            raise HarnessError(f"the recorded run {path} cannot be read: {error.strerror or error}") from None
        except Exception:  # whatever a foreign file makes the libraries say
            raise HarnessError(f"{path} is not a recorded run") from None
        return recording


def _recording(about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Recording:
    plan = Plan(
        about["seed"],
        [_stream(index, stream, arrays) for index, stream in enumerate(about["streams"])],
        Limits(**about["limits"]),
        [(cycle, length) for cycle, length in about["pulses"]],
        about["constants"],
        about["groups"],
    )
    sources = {name: text.encode().decode() for name, text in about["sources"].items()}
    return Recording(BuildSpec(sources, read_interface(about["interface"]), about["vlt"]), plan, about["reason"])


def keep(recording: Recording) -> Path:
    """Keep a failed run in ``$TILEWRIGHT_FAILURES``, else in the cache; returns its file."""
    folder = Path(os.environ.get("TILEWRIGHT_FAILURES") or cache_folder() / "failures").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    script = recording.plan.script(recording.spec.interface)
    path = folder / f"{recording.spec.interface.top}-{digest(recording.spec.key(), script.hex())[:12]}.zip"
    recording.save(path)
    for old in sorted(folder.glob("*.zip"), key=lambda file: file.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)
    return path


def replay_command(path: Path) -> str:
    """The command that replays the run that is kept in ``path``."""
    return f"{shlex.quote(sys.executable)} -m tilewright.sim_tests.harness.replay {shlex.quote(str(path))}"


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)


def _put_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    buffer = io.BytesIO()
    np.save(buffer, array)
    _put(archive, name, buffer.getvalue())


def _stream(index: int, about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> StreamScript:
    stall = Stall(**{**about["stall"], "burst_length": tuple(about["stall"]["burst_length"])})
    return StreamScript(
        stall,
        [arrays[f"{index}.send.npy"]],
        [Condition(*row) for row in arrays[f"{index}.conditions.npy"].tolist()],
        about["expected"],
        arrays.get(f"{index}.wanted.npy"),
        arrays.get(f"{index}.mask.npy"),
    )


def read_interface(about: dict[str, Any]) -> Interface:
    """Ports from what `asdict` makes of them, by way of JSON."""
    streams = tuple(
        StreamPort(**{**stream, "signals": tuple((name, width) for name, width in stream["signals"])})
        for stream in about.pop("streams")
    )
    for kind in ("inputs", "outputs", "zeros"):
        about[kind] = tuple((name, width) for name, width in about[kind])
    return Interface(streams=streams, **about)
