"""What a recorded run does not know: the configuration and the test in which it failed."""

from __future__ import annotations

import json
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tilewright.generators.config.systolic import SystolicConfig, systolic_config

_MEMBER = "verify.json"


@dataclass(frozen=True)
class Note:
    """The run failed in the test called ``test``, with ``seed``, of ``subject``, a core of ``config``."""

    subject: str
    config: SystolicConfig
    test: str
    seed: int

    def add_to(self, recording: Path) -> None:
        """Writes the note into the file of the recorded run, unless it has one."""
        if Note.of(recording) is not None:
            return
        about = {"subject": self.subject, "config": self.config.model_dump(mode="json")}
        temporary = recording.with_name(recording.name + ".part")
        shutil.copyfile(recording, temporary)
        with zipfile.ZipFile(temporary, "a") as archive:
            archive.writestr(_MEMBER, json.dumps({**about, "test": self.test, "seed": self.seed}, indent=1))
        temporary.replace(recording)

    @staticmethod
    def of(recording: Path) -> Note | None:
        """The note in a file; None where there is none."""
        with zipfile.ZipFile(recording) as archive:
            if _MEMBER not in archive.namelist():
                return None
            about = json.loads(archive.read(_MEMBER))
        return Note(about["subject"], systolic_config(about["config"]), about["test"], about["seed"])
