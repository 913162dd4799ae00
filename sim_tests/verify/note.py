"""What a recorded run does not know: the configuration and the test in which it failed."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.whole_file import write_whole
from tilewright.sim_tests.harness.errors import HarnessError

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
        file = io.BytesIO(recording.read_bytes())
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr(_MEMBER, json.dumps({**about, "test": self.test, "seed": self.seed}, indent=1))
        write_whole(recording, file.getvalue())

    @staticmethod
    def of(recording: Path) -> Note | None:
        """The note in the file of a recorded run; None where there is none. HarnessError where it is no note."""
        with zipfile.ZipFile(recording) as archive:
            if _MEMBER not in archive.namelist():
                return None
            try:
                about = json.loads(archive.read(_MEMBER))
                return Note(about["subject"], systolic_config(about["config"]), str(about["test"]), int(about["seed"]))
            except Exception:  # whatever a foreign file makes the libraries say
                raise HarnessError(f"{_MEMBER} in {recording} is not of tilewright verify") from None
