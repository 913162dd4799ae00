"""A run in one file: sources, ports, run script, seed. Enough to run it again anywhere."""

from __future__ import annotations

import json
import shlex
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tilewright.sim_tests.harness.build import BuildSpec
from tilewright.sim_tests.harness.cache import cache_folder, digest
from tilewright.sim_tests.harness.errors import HarnessError
from tilewright.sim_tests.harness.ports import Interface, StreamPort

#: Failed runs that are kept for replay; older ones are removed.
KEPT = 20

#: All files of an archive bear this date, so that equal runs give equal files.
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Recording:
    """A run.

    Attributes:
        spec: the build.
        script: the run script.
        seed: its seed.
        groups: signal groups for the waveform viewer; ``None``: one for each stream.
    """

    spec: BuildSpec
    script: bytes
    seed: int
    groups: Mapping[str, Sequence[str]] | None = None

    def save(self, path: Path) -> None:
        """Write the file."""
        about = {
            "seed": self.seed,
            "groups": self.groups,
            "sources": dict(self.spec.sources),
            "interface": asdict(self.spec.interface),
            "vlt": self.spec.vlt,
        }
        temporary = path.with_name(path.name + ".part")
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo("run.json", _DATE), json.dumps(about, indent=1))
            archive.writestr(zipfile.ZipInfo("script", _DATE), self.script)
        temporary.replace(path)

    @staticmethod
    def load(path: Path) -> Recording:
        """Read a file that :meth:`save` wrote."""
        try:
            with zipfile.ZipFile(path) as archive:
                about: dict[str, Any] = json.loads(archive.read("run.json"))
                script = archive.read("script")
        except FileNotFoundError:
            raise HarnessError(f"there is no recorded run {path}") from None
        except (OSError, zipfile.BadZipFile, KeyError, ValueError):
            raise HarnessError(f"{path} is not a recorded run") from None
        ports: dict[str, Any] = about["interface"]
        streams = [
            StreamPort(**{**stream, "signals": tuple((n, w) for n, w in stream["signals"])})
            for stream in ports.pop("streams")
        ]
        for kind in ("inputs", "outputs", "zeros"):
            ports[kind] = tuple((name, width) for name, width in ports[kind])
        interface = Interface(streams=tuple(streams), **ports)
        return Recording(BuildSpec(about["sources"], interface, about["vlt"]), script, about["seed"], about["groups"])


def keep(recording: Recording) -> str:
    """Keep a failed run in the cache folder; returns the command that replays it."""
    folder = cache_folder() / "failures"
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{recording.spec.interface.top}-{digest(recording.spec.key(), recording.script.hex())[:12]}.zip"
    recording.save(folder / name)
    for old in sorted(folder.glob("*.zip"), key=lambda file: file.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)
    return f"{shlex.quote(sys.executable)} -m tilewright.sim_tests.harness.replay {shlex.quote(str(folder / name))}"
