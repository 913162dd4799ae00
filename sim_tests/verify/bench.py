"""One core under test: runs programs on it, judges them, and counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilewright.generators.reference.core import ReferenceCore
from tilewright.sim_tests.drivers.core_result import CoreResult, Operation
from tilewright.sim_tests.drivers.core_session import CoreSession, Stalls
from tilewright.sim_tests.harness import Build
from tilewright.sim_tests.system.campaign import perform
from tilewright.sim_tests.system.judge import Judge, Tally
from tilewright.sim_tests.system.program import Author, Step
from tilewright.sim_tests.verify.subject import Subject


class Bench:
    """``build`` is a simulator of ``subject``; everything random comes from ``seed`` and ``name``, the test's.

    Attributes:
        rng: what is random.
        tally: what was compared so far.
        points: commands whose cycles were compared so far.
        stalls: cycles in which a stream paused or was refused.
        cycles: simulated cycles.
    """

    def __init__(self, subject: Subject, build: Build, name: str, seed: int) -> None:
        self.subject, self.build = subject, build
        self.config, self.rules = subject.config, ReferenceCore(subject.config)
        self.rng = np.random.default_rng([seed, *name.encode()])
        self.tally = Tally()
        self.points = self.stalls = self.cycles = 0

    def author(self) -> Author:
        """Writes programs for the core."""
        return Author(self.config, self.rng)

    def run(self, steps: Sequence[Step], stall: Stalls = None) -> CoreResult:
        """Runs a program; SimulationFailed where it does not do what the reference does."""
        session = self._session()
        return self._judged(session, steps, perform(session, list(steps)), stall)

    def run_at(self, steps: Sequence[Step], offers: Sequence[int]) -> CoreResult:
        """Runs steps that wait for nothing but the cycle in which each is offered at the earliest."""
        session = self._session()
        operations = []
        for step, offer in zip(steps, offers, strict=True):
            session.not_before(offer)
            operations += perform(session, [step])
        return self._judged(session, steps, operations, None)

    def _session(self) -> CoreSession:
        return CoreSession(self.subject.design.parameters, self.rng)

    def _judged(
        self, session: CoreSession, steps: Sequence[Step], operations: Sequence[Operation], stall: Stalls
    ) -> CoreResult:
        result = session.run(self.build, seed=int(self.rng.integers(1, 1 << 31)), stall=stall)
        self.stalls += sum(stream.stalled + stream.refused for stream in result.result.values())
        self.cycles += result.result.cycles
        judge = Judge(self.config, result)
        try:
            judge.follow(steps, operations)
        finally:  # what was judged before a difference counts as well
            self.tally.add(judge.tally)
        return result
