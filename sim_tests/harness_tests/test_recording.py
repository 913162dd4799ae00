"""Files that are no recorded runs are refused, whatever is in them."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.generators.config.systolic import systolic_config
from tilewright.sim_tests.harness import HarnessError, Run, pack
from tilewright.sim_tests.harness.recording import Recording
from tilewright.sim_tests.harness_tests.designs import build_buffer
from tilewright.sim_tests.verify.note import Note

BEATS = pack(np.arange(5), 8)


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "runs" / "run.zip"
    path.parent.mkdir()
    Run(build_buffer()).send("i", BEATS).expect("o", BEATS).save(path)
    return path


def rewritten(path: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    """Changes one file of a recording."""
    with zipfile.ZipFile(path) as old:
        contents = {member: old.read(member) for member in old.namelist()}
    with zipfile.ZipFile(path, "w") as new:
        for member, data in contents.items():
            new.writestr(member, change(data) if member == name else data)


def with_field(*places: str | int, value: Any) -> Callable[[bytes], bytes]:
    """A change of what stands at ``places`` of a document."""

    def change(data: bytes) -> bytes:
        document = json.loads(data)
        inner = document
        for place in places[:-1]:
            inner = inner[place]
        inner[places[-1]] = value
        return json.dumps(document).encode()

    return change


@pytest.mark.parametrize(
    "change",
    [
        with_field("streams", value=7),
        with_field("streams", value=[]),
        with_field("seed", value="x"),
        with_field("seed", value=1 << 70),
        with_field("limits", value={"none": 1}),
        with_field("limits", "cycles", value=1.5),
        with_field("sources", value={"a.v": 1}),
        with_field("interface", value={}),
        with_field("streams", 0, "stall", "probability", value="x"),
        lambda data: b"[" * 100_000,
        lambda data: b"[]",
        lambda data: b"\xff",
    ],
)
def test_an_absurd_document_is_no_recorded_run(recorded: Path, change: Callable[[bytes], bytes]) -> None:
    assert Recording.load(recorded).plan.seed == 1
    rewritten(recorded, "run.json", change)
    with pytest.raises(HarnessError, match=r"run.zip is not a recorded run$"):
        Recording.load(recorded)


def test_spoilt_archives_are_no_recorded_runs(recorded: Path) -> None:
    whole = recorded.read_bytes()
    middle = len(whole) // 3
    for data in (b"", whole[:middle], whole[:middle] + bytes(64) + whole[middle + 64 :], b"PK" + bytes(100)):
        recorded.write_bytes(data)
        with pytest.raises(HarnessError, match=r"run.zip is not a recorded run$"):
            Recording.load(recorded)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(HarnessError, match=r"cannot be read: it is a pipe, not an ordinary file$"):
        Recording.load(tmp_path / "pipe")


@pytest.mark.parametrize(
    "change",
    [
        with_field("config", value={"rows": 10**400}),
        with_field("config", value=7),
        with_field("seed", value="x"),
        lambda data: b"{}",
        lambda data: b"[" * 100_000,
        lambda data: b"\xff",
    ],
)
def test_an_absurd_note_is_told(recorded: Path, change: Callable[[bytes], bytes]) -> None:
    note = Note("mine", systolic_config({}), "smoke", 3)
    note.add_to(recorded)
    assert Note.of(recorded) == note
    assert [path.name for path in recorded.parent.iterdir()] == ["run.zip"]
    rewritten(recorded, "verify.json", change)
    with pytest.raises(HarnessError, match=r"^verify.json in \S+run.zip is not of tilewright verify$"):
        Note.of(recorded)
