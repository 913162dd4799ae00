"""Holds what a core did against what the reference says: every answer, every beat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.core import Readout, ReferenceCore
from tilewright.generators.reference.records import Command, Status, Transfer
from tilewright.generators.reference.scratchpad import Origin
from tilewright.sim_tests.drivers.core_beats import MatrixBeats, matrix_beats
from tilewright.sim_tests.drivers.core_result import CoreResult, Operation
from tilewright.sim_tests.harness import SimulationFailed
from tilewright.sim_tests.system.program import Step

#: Cycles around the moment at which a core looks for commands in flight within which either answer is right.
MOMENT = 10


@dataclass
class Tally:
    """What was compared: commands that ran, values of C, sums (each once after it was computed), refusals by status."""

    commands: int = 0
    values: int = 0
    sums: int = 0
    refused: Counter[Status] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Adds what another run compared."""
        self.commands += other.commands
        self.values += other.values
        self.sums += other.sums
        self.refused += other.refused


class Judge:
    """Follows one run of ``steps`` on a core of ``config``, operation by operation, in the order in which it took them.

    Of those taken in one cycle transfers count as first, and loads before read-outs. That order decides everything but
    the answers of transfers that touch the words of a command that came before: there the measured cycles say whether
    it was in flight.
    """

    def __init__(self, config: SystolicConfig, result: CoreResult) -> None:
        self.core = ReferenceCore(config)
        self.result = result
        self.tally = Tally()
        self._running: list[tuple[Operation, Command]] = []
        self._readouts = result.readouts

    def follow(self, steps: Sequence[Step], operations: Sequence[Operation]) -> Tally:
        """Judges all; raises SimulationFailed, with a line that replays the run, at the first difference."""
        pairs = list(enumerate(zip(steps, operations, strict=True)))
        for place, (step, operation) in sorted(pairs, key=lambda pair: self._turn(*pair[1])):
            wrong = self._command(step, operation) if step.command is not None else self._transfer(step, operation)
            if wrong:
                raise self.failure(f"step {place}, {step}: {wrong}", operation)
        return self.tally

    def failure(self, reason: str, operation: Operation) -> SimulationFailed:
        """The exception for what is wrong with ``operation``."""
        return self.result.run.failure(reason, cycle=self.result.answered(operation), stream=operation.answers)

    def _turn(self, step: Step, operation: Operation) -> tuple[int, int]:
        """By what operations are ordered: cycle, and rank within it."""
        return self.result.taken(operation), 2 if step.command is not None else 1 if step.port is None else 0

    def _command(self, step: Step, operation: Operation) -> str:
        assert step.command is not None
        status = self.core.command(step.command)
        if status == Status.OK:
            self._running.append((operation, step.command))
        self.tally.commands += status == Status.OK
        return self._answer(operation, {status}) or self._flags(step.command, status, operation)

    def _flags(self, command: Command, status: Status, operation: Operation) -> str:
        """What is wrong with the counts of flags that the answer tells, where accumulators are windows."""
        try:
            wanted = self.core.flag_counts(command) if status == Status.OK else {}
        except ValueError:  # of results that nobody knows
            return ""
        if operation in self.result.lost:
            return ""
        counted = self.result.counts(operation)
        return "" if counted == {**dict.fromkeys(counted, 0), **wanted} else f"expected flags {wanted}, got {counted}"

    def _transfer(self, step: Step, operation: Operation) -> str:
        assert step.transfer is not None
        allowed = {}
        for running in self._possibly_in_flight(operation):
            self.core.in_flight = running
            allowed[self.core.transfer_status(step.side, step.transfer)] = running
        status = self.result.answer(operation)[0]
        # A load of the wrong length is known as such only when its beats have come.
        known = next((known for known in (status, Status.OK) if known in allowed), next(iter(allowed)))
        self.core.in_flight = allowed[Status(known)]
        if step.port is None:
            wanted, readout = self.core.read(step.transfer)
            wrong = self._answer(operation, {wanted}) or self._beats(self._readouts[operation], readout)
            if not wrong:
                self._count(step.transfer, readout)
            return wrong
        assert step.matrix is not None
        beats = matrix_beats(step.matrix, self.core.beat_values(step.port))
        return self._answer(
            operation, {self.core.load(step.port, step.transfer, np.where(beats.keep, beats.values, 0))}
        )

    def _possibly_in_flight(self, transfer: Operation) -> list[list[Command]]:
        """The commands that may have been in flight when the core looked: the fewest, and the most."""
        taken = self.result.taken(transfer)
        # It may have waited for another transfer of the same words, at most until it was answered.
        looked = self.result.offered(transfer) if transfer.answers in ("load_c_answer", "read_c_answer") else taken
        surely, perhaps = [], []
        for operation, command in self._running:
            offered = self.result.offered(operation)
            if offered <= taken:
                continue
            perhaps.append(command)
            # A completion that stood behind another one was done at some time before it was offered.
            behind = operation.index > 0 and self.result.result["completion"].cycle[operation.index - 1] + 1 >= offered
            if offered > looked + MOMENT and not behind:
                surely.append(command)
        return [surely, perhaps]

    def _answer(self, operation: Operation, wanted: set[Status]) -> str:
        status, tag = self.result.answer(operation)
        if status not in wanted:
            names = " or ".join(item.name for item in sorted(wanted))
            return f"expected status {names}, got {status}"
        if tag != operation.tag:
            return f"expected tag {operation.tag}, got {tag}"
        if status != Status.OK:
            self.tally.refused[Status(status)] += 1
        return ""

    def _beats(self, got: MatrixBeats, want: Readout) -> str:
        if len(got.values) != len(want.values):
            unit = "beat" if len(want.values) == 1 else "beats"
            return f"expected {len(want.values)} {unit}, got {len(got.values)}"
        last = np.zeros(len(want.values), dtype=np.bool_)
        last[-1:] = True
        known = want.origin > 0
        differences = (
            ("keep", (got.keep != want.keep).any(axis=1)),
            ("last", got.last != last),
            ("data", ((got.values != want.values) & known).any(axis=1)),
        )
        for name, differs in differences:
            if differs.any():
                return self._first(name, np.flatnonzero(differs), got, want, known)
        return ""

    def _count(self, transfer: Transfer, readout: Readout) -> None:
        """Counts the sums that were read, and remembers that they are counted."""
        self.tally.values += int(np.count_nonzero(readout.origin))
        self.tally.sums += int(np.count_nonzero(readout.origin == Origin.COMPUTED))
        region = self.core.c[transfer.region]
        places = region.places(readout.rows, readout.cols, transfer.base)
        region.origin[places] = np.minimum(region.origin[places], Origin.LOADED)

    @staticmethod
    def _first(name: str, beats: NDArray[np.intp], got: MatrixBeats, want: Readout, known: NDArray[np.bool_]) -> str:
        beat = int(beats[0])
        count = "1 beat differs" if len(beats) == 1 else f"{len(beats)} beats differ"
        where = f"{count} in {name}, the first is beat {beat}"
        if name != "data":
            return where
        lane = int(np.flatnonzero((got.values[beat] != want.values[beat]) & known[beat])[0])
        panels = -(-want.cols // got.values.shape[1])
        row, col = beat // panels, beat % panels * got.values.shape[1] + lane
        return f"{where}, C[{row}, {col}]: expected {want.values[beat, lane]}, got {got.values[beat, lane]}"
