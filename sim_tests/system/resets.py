"""A reset in the middle of whatever the core does; then it works as from the start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tilewright.generators.reference.core import Port, ReferenceCore
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.generators.reference.scratchpad import Origin
from tilewright.sim_tests.drivers.core_result import Operation
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.system.campaign import LOAD_PORTS, perform
from tilewright.sim_tests.system.judge import Judge
from tilewright.sim_tests.system.program import Step
from tilewright.sim_tests.system.shapes import longest

MOMENTS = 8  # of the victims' time in which a reset falls
COMMANDS = 4  # after the reset
STALL = 0.3
SEED = 1  # of every run: all have the same pauses


def resets(bench: Bench, moments: int = MOMENTS) -> int:
    """Resets at ``moments`` evenly over the time in which most is at work, each in a run of its own.

    Returns in how many of them a read-out was cut off.
    """
    scene = Scene(bench)
    rehearsal = scene.rehearse()
    cycles = np.linspace(*rehearsal.busy(), moments, dtype=int).tolist()
    return sum(scene.cut(rehearsal, cycle, 1 + index % 3) for index, cycle in enumerate(cycles))


@dataclass(frozen=True)
class Rehearsal:
    """When the victims end if nothing resets them.

    Attributes:
        settled: the first cycle in which all are taken, and all that the loads send.
        offered: the cycle in which each read-out and command offers its answer.
        answered: the cycle in which each answer is taken.
    """

    settled: int
    offered: Sequence[int]
    answered: Sequence[int]

    def busy(self) -> tuple[int, int]:
        """The first and the last cycle in which all victims are at work.

        In a core so small that one ends before all have begun: in which at least the loads and the last one are, or,
        at the very least, the loads alone, which never end.
        """
        last = next((end - 1 for end in (min(self.offered), max(self.offered)) if end > self.settled), self.settled)
        return self.settled, last

    def lost(self, victims: Sequence[Operation], cycle: int) -> list[Operation]:
        """Those of ``victims``, in the order of the rehearsal, whose answers a reset in ``cycle`` forestalls."""
        ending = [victim for victim, end in zip(victims, self.answered, strict=False) if end >= cycle]
        return [*ending, *victims[len(self.answered) :]]


class Scene:
    """What a reset falls into: memories that are filled, then victims, all at once.

    They are commands of several folds, one after the other in region 0, a read-out of region 1, and loads on all ports
    into words that nobody else uses.
    """

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        author = bench.author(filled=True)
        self.before = list(author.steps)
        self.begin = 1000 + 3 * sum(_beats(author.rules, step) for step in self.before)
        command = longest(bench.rules, bench.dataflows[-1], Start.ZERO, spare=4)
        words, lanes = bench.config.scratchpads.c.words, bench.config.scratchpads.c.lanes
        self.readouts = [Step(transfer=Transfer(0, words // 2, lanes, 1))] if words >= 16 else []
        self.commands = [Step(command=command), Step(command=replace(command, start=Start.ACCUMULATE))]
        # Loads of A and C wait for another row when the reset comes, those of B, which are too long, for their end.
        rows = {"a": 3, "b": 4, "c": 3}
        self.loads = [author.loading(side, t, (rows[side], t.cols)) for side, t in _unused(bench, command)]

    def rehearse(self) -> Rehearsal:
        """A run without a reset: up to the cycle of a reset, one with it is the same."""
        session = self.bench.session()
        perform(session, self.before)
        operations = self._victims(session, ends=True)
        result = self.bench.execute(session, STALL, SEED)
        beats = [int(result.result[f"load_{step.port}_beats"].cycle[-1]) for step in self.loads]
        ending = operations[: len(self.readouts) + len(self.commands)]
        settled = max([*beats, *map(result.taken, operations)]) + 1
        return Rehearsal(settled, [*map(result.offered, ending)], [*map(result.answered, ending)])

    def cut(self, rehearsal: Rehearsal, cycle: int, length: int) -> bool:
        """Judges a run with a reset in ``cycle``; whether it cut a read-out off."""
        author = self.bench.author()
        for _ in range(COMMANDS):
            author.gemm()
        author.look_at_everything()
        session = self.bench.session()
        before = perform(session, self.before)
        victims = self._victims(session, ends=False)
        session.reset(cycle, length, lost=rehearsal.lost(victims, cycle))
        after = perform(session, author.steps)
        result = self.bench.execute(session, STALL, SEED)
        judge = Judge(self.bench.config, result)
        try:
            judge.follow(self.before, before)
            self._forget(judge.core)
            judge.follow(author.steps, after)
        finally:
            self.bench.count(judge.tally)
        return len(result.readouts) < len(result.result["read_c_command"])

    def _victims(self, session: CoreSession, *, ends: bool) -> list[Operation]:
        session.not_before(self.begin)
        operations = perform(session, [*self.readouts, *self.commands])
        for step in self.loads:
            assert step.port is not None and step.transfer is not None and step.matrix is not None
            t, port = step.transfer, LOAD_PORTS[step.port]
            announced = (t.rows, t.cols)
            operations.append(session.load(port, step.matrix, t.base, region=t.region, announced=announced, ends=ends))
        return operations

    def _forget(self, core: ReferenceCore) -> None:
        """Nobody knows what the victims have written."""
        for step in self.commands:
            assert step.command is not None
            core.command(step.command)
        core.reset()
        for step in self.loads:
            assert step.port is not None and step.transfer is not None
            span = core.transfer_span(step.port, step.transfer)
            memory = core.c[step.transfer.region] if step.port == "c" else getattr(core, step.port)
            memory.origin[span.low : span.high] = Origin.UNDEFINED


def _beats(rules: ReferenceCore, step: Step) -> int:
    assert step.transfer is not None
    return rules.beats(step.side, step.transfer.rows, step.transfer.cols)


def _unused(bench: Bench, command: Command) -> list[tuple[Port, Transfer]]:
    """A few words of A and B behind those of ``command``, and of the half of region 1 that no read-out touches."""
    spans, pads = bench.rules.command_spans(command), bench.config.scratchpads
    found: list[tuple[Port, Transfer]] = [
        ("a", Transfer(spans["a"].high, 4, 1)),
        ("b", Transfer(spans["b"].high, 3, 1)),
        ("c", Transfer(pads.c.words // 2, 4, 1, 1)),
    ]
    return [(side, t) for side, t in found if bench.rules.transfer_status(side, t) == Status.OK]
