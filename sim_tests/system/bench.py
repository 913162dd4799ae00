"""One core under test: runs programs on it, judges them, and counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilewright.generators.reference.core import DATAFLOWS, ReferenceCore
from tilewright.sim_tests.drivers.core_result import CoreResult
from tilewright.sim_tests.drivers.core_session import CoreSession, Stalls
from tilewright.sim_tests.drivers.cycle_points import CycleSequence
from tilewright.sim_tests.harness import Build, ledger
from tilewright.sim_tests.system.campaign import perform
from tilewright.sim_tests.system.designs import Design, gate_designs
from tilewright.sim_tests.system.judge import Judge, Tally
from tilewright.sim_tests.system.program import Author, Step


class Bench:
    """``build`` is a simulator of ``design``; everything random comes from ``seed`` and ``name``, the test's.

    Attributes:
        rules: the reference of the core, without data: what is legal and what is not.
        dataflows: those that the core has.
        rng: what is random.
        tally: what was compared so far.
        points: commands whose cycles were compared so far.
        stalls: cycles in which a stream paused or was refused.
        cycles: simulated cycles.
    """

    def __init__(self, design: Design, build: Build, name: str, seed: int) -> None:
        self.design, self.build = design, build
        self.config, self.rules = design.config, ReferenceCore(design.config)
        self.dataflows: tuple[int, ...] = DATAFLOWS[self.config.dataflow]
        self.rng = np.random.default_rng([seed, *name.encode()])
        self.tally = Tally()
        self.points = self.stalls = self.cycles = 0

    def author(self, *, filled: bool = False) -> Author:
        """Writes programs for the core; a ``filled`` one has loaded every word of every memory."""
        author = Author(self.config, self.rng)
        if filled:
            author.fill()
        return author

    def run(self, steps: Sequence[Step], stall: Stalls = None, offers: Sequence[int] | None = None) -> CoreResult:
        """Runs a program; SimulationFailed where it does not do what the reference does.

        ``offers``: the cycle in which each step is offered at the earliest.
        """
        session = self.session()
        operations = perform(session, steps, offers)
        result = self.execute(session, stall)
        judge = Judge(self.config, result)
        try:
            judge.follow(steps, operations)
        finally:  # what was judged before a difference counts as well
            self.count(judge.tally)
        return result

    def time(self, sequence: CycleSequence) -> None:
        """Runs a sequence; SimulationFailed where a command does not take the cycles of the model."""
        steps = [Step(command=command) for command in sequence.commands]
        result = self.run(steps, offers=sequence.offers)
        for index, (operation, wanted) in enumerate(zip(result.operations, sequence.predicted(), strict=True)):
            measured = result.taken(operation), result.offered(operation)
            if measured != wanted:
                raise result.run.failure(
                    f"command {index}, {sequence.commands[index]}: expected taken and completed in cycles "
                    f"{wanted[0]} and {wanted[1]}, got {measured[0]} and {measured[1]}",
                    cycle=measured[1],
                    stream=operation.answers,
                )
            self.points += 1

    def session(self) -> CoreSession:
        """A program in the making; lanes that ``keep`` masks are noise."""
        return CoreSession(self.design.parameters, self.rng)

    def execute(self, session: CoreSession, stall: Stalls = None, seed: int | None = None) -> CoreResult:
        """Runs ``session``, and counts its cycles; whoever calls judges it. ``seed`` is that of the run, if given."""
        chosen = int(self.rng.integers(1, 1 << 31)) if seed is None else seed
        result = session.run(self.build, seed=chosen, stall=stall)
        self.stalls += sum(stream.stalled + stream.refused for stream in result.result.values())
        self.cycles += result.result.cycles
        return result

    def count(self, tally: Tally) -> None:
        """Adds what a judge has compared."""
        self.tally.add(tally)
        ledger.count(commands_judged=tally.commands, sums_compared=tally.sums, refusals_expected=tally.refused.total())


def gate_bench(name: str, test: str = "test") -> Bench:
    """A bench of the gate's design ``name``."""
    design = gate_designs()[name]
    return Bench(design, design.build(), test, 1)
