"""What a program gave: statuses, matrices, cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tilewright.hdl.numeric import code_format
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.records import ANSWER, Status, completion_layout
from tilewright.sim_tests.drivers.core_beats import Matrix, MatrixBeats, fields, unpacked
from tilewright.sim_tests.harness.result import Result
from tilewright.sim_tests.harness.run import Run


@dataclass(frozen=True)
class Operation:
    """A load, command or read-out: beat ``place`` of ``stream``, answered by beat ``index`` of ``answers``.

    Both are the same unless a reset has lost answers. ``rows`` and ``cols`` are those of a transfer.
    """

    stream: str
    place: int
    answers: str
    index: int
    tag: int
    rows: int = 0
    cols: int = 0


class CoreResult:
    """What became of the ``operations`` of a program; ``lost`` are those that a reset in that cycle cut off."""

    def __init__(
        self,
        parameters: CoreParameters,
        operations: Sequence[Operation],
        run: Run,
        result: Result,
        lost: Mapping[Operation, int] | None = None,
    ) -> None:
        self.parameters, self.operations, self.run, self.result = parameters, operations, run, result
        self.lost = lost or {}

    def answer(self, operation: Operation) -> tuple[int, int]:
        """(status, tag) of its answer."""
        answer = fields(ANSWER, int(self.result[operation.answers].beats[operation.index][0]))
        return answer["status"], answer["tag"]

    def taken(self, operation: Operation) -> int:
        """Cycle in which the core took it."""
        return int(self.result[operation.stream].cycle[operation.place])

    def offered(self, operation: Operation) -> int:
        """Cycle in which its answer was first offered."""
        return int(self.result[operation.answers].offer[operation.index])

    def answered(self, operation: Operation) -> int:
        """Cycle in which its answer was taken."""
        return int(self.result[operation.answers].cycle[operation.index])

    def counts(self, operation: Operation) -> dict[str, int]:
        """What the answer to a command says beside status and tag."""
        layout = completion_layout(self.parameters)
        words = self.result[operation.answers].beats[operation.index]
        answer = fields(layout, sum(int(word) << 32 * place for place, word in enumerate(words)))
        return {name: value for name, value in answer.items() if name not in ANSWER.members}

    def statuses(self, stream: str) -> list[Status]:
        """Statuses of the answers on ``stream``, in order."""
        return [Status(fields(ANSWER, int(beat[0]))["status"]) for beat in self.result[stream].beats]

    @cached_property
    def beats(self) -> MatrixBeats:
        """All beats that were read out."""
        p = self.parameters
        return unpacked(self.result["read_c_beats"].beats, p.c_memory.lanes, code_format(p.acc))

    @property
    def readouts(self) -> dict[Operation, MatrixBeats]:
        """Beats of each read-out that was answered; none of a refused one. The last one's are all that are left."""
        found, at = {}, 0
        reads = [operation for operation in self.operations if operation.stream == "read_c_command"]
        for read in reads:
            if read in self.lost:
                at = int(np.searchsorted(self.result["read_c_beats"].cycle, self.lost[read]))
                continue
            beats = read.rows * self._panels(read) if self.answer(read)[0] == Status.OK else 0
            end = None if read is reads[-1] else at + beats
            found[read] = self.beats.between(at, end)
            at += beats
        return found

    @property
    def matrices(self) -> list[Matrix]:
        """What the reads gave, 0 x 0 where they were refused."""
        return [
            beats.values.reshape(read.rows, -1)[:, : read.cols] if len(beats.values) else beats.values[:0, :0]
            for read, beats in self.readouts.items()
        ]

    @property
    def command_cycles(self) -> list[int]:
        """Cycles from the edge that takes each command to the edge that offers its completion."""
        taken, offered = self.result["command"].cycle, self.result["completion"].offer
        return [int(o - t) for t, o in zip(taken, offered, strict=True)]

    def _panels(self, read: Operation) -> int:
        return -(-read.cols // self.parameters.c_memory.lanes)
