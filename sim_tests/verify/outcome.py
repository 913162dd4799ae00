"""Runs tests on a subject, and keeps what is needed to run a failed one again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilewright.sim_tests.harness import Build, SimulationFailed
from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.verify.note import Note
from tilewright.sim_tests.verify.subject import Subject
from tilewright.sim_tests.verify.tests import TESTS, Test


@dataclass(frozen=True)
class Outcome:
    """How a test ended.

    Attributes:
        test: the test.
        commands: commands that ran, of a failed test those before the difference.
        compared: values of C compared with the reference.
        points: commands whose cycles were compared with the model.
        refused: commands and transfers that were rightly refused.
        stalls: cycles in which a stream paused or was refused.
        cycles: simulated cycles.
        seconds: wall time.
        reason: what was wrong; "" if nothing.
        recording: file to replay the failure from, if it was kept.
    """

    test: Test
    commands: int
    compared: int
    points: int
    refused: int
    stalls: int
    cycles: int
    seconds: float
    reason: str = ""
    recording: Path | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing was wrong."""
        return not self.reason


def run_tests(
    subject: Subject,
    build: Build,
    names: Sequence[str],
    seed: int,
    begins: Callable[[Test], None] = lambda _: None,
) -> list[Outcome]:
    """Runs the tests called ``names`` on ``build``, a simulator of ``subject``; ``begins`` is told of each."""
    outcomes = []
    for name in names:
        begins(TESTS[name])
        outcomes.append(run_test(subject, build, TESTS[name], seed))
    return outcomes


def run_test(subject: Subject, build: Build, test: Test, seed: int) -> Outcome:
    """Runs one test. The recording of a failed run gets a note of test and seed."""
    bench = Bench(subject.design, build, test.name, seed)
    start, reason, recording = time.perf_counter(), "", None
    try:
        test.run(bench)
    except SimulationFailed as failure:
        reason, recording = failure.reason, failure.recording
        if recording is not None:
            Note(subject.name, subject.config, test.name, seed).add_to(recording)
    tally = bench.tally
    return Outcome(
        *(test, tally.commands, tally.values, bench.points, tally.refused.total(), bench.stalls, bench.cycles),
        *(time.perf_counter() - start, reason, recording),
    )
