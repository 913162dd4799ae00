"""Runs a failed test again, judged again, and draws its waveform."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tilewright.sim_tests.harness import HarnessError, make
from tilewright.sim_tests.harness.recording import Recording
from tilewright.sim_tests.harness.replay import replay
from tilewright.sim_tests.verify.groups import GROUPS
from tilewright.sim_tests.verify.note import Note
from tilewright.sim_tests.verify.outcome import run_test
from tilewright.sim_tests.verify.subject import Subject
from tilewright.sim_tests.verify.tests import TESTS


@dataclass(frozen=True)
class Replayed:
    """A failure that was run again.

    Attributes:
        note: what failed, if `tilewright verify` recorded it.
        recorded: what was wrong then.
        reason: what is wrong now; "" if nothing.
        vcd, gtkw: the waveform, and the save file with which GTKWave opens it.
    """

    note: Note | None
    recorded: str
    reason: str
    vcd: Path
    gtkw: Path


def replay_failure(file: Path) -> Replayed:
    """Runs the test of ``file`` again on the Verilog that is recorded there, and the failed run with a waveform.

    The waveform lies beside ``file``. A run that `tilewright verify` did not record is judged by the rules of streams.
    HarnessError where ``file`` is no recorded run.
    """
    recording = Recording.load(file)
    note = Note.of(file)
    reason = ""
    if note is not None:
        if note.test not in TESTS:
            raise HarnessError(f"{file} is of another version: there is no test {note.test!r}")
        subject = Subject(note.subject, note.config, recording.spec.sources)
        reason = run_test(subject, make(recording.spec), TESTS[note.test], note.seed).reason
    grouped = replace(recording, plan=replace(recording.plan, groups=recording.plan.groups or GROUPS))
    drawn = replay(grouped, file.with_suffix(".vcd"))
    if note is None and drawn.finding is not None:
        reason = drawn.finding.reason
    return Replayed(note, recording.reason, reason, drawn.vcd, drawn.gtkw)
