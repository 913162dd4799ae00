"""A program for a simulated GEMM core: loads, commands, read-outs, and what each waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from tilewright.hdl.numeric import code_format
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.records import TRANSFER, Start, command_layout
from tilewright.sim_tests.drivers.core_beats import Matrix, matrix_beats, packed, record, words
from tilewright.sim_tests.drivers.core_result import CoreResult, Operation
from tilewright.sim_tests.harness.beats import Beats
from tilewright.sim_tests.harness.build import Build
from tilewright.sim_tests.harness.run import Run
from tilewright.sim_tests.harness.script import Limits
from tilewright.sim_tests.harness.stall import Stall

LoadPort = Literal["load_a", "load_b", "load_c"]

#: For every stream, or for each by name.
Stalls = Stall | float | None | Mapping[str, Stall]


@dataclass(frozen=True)
class Event:
    """Something to wait for: ``stream`` has transferred ``count`` beats."""

    stream: str
    count: int


#: What an operation waits for; an operation stands for its own answer.
After = Sequence[Operation | Event]


@dataclass
class _Queue:
    beats: list[Beats] = field(default_factory=list)
    after: list[dict[str, int] | None] = field(default_factory=list)
    not_before: list[int] = field(default_factory=list)
    expected: int = 0


class CoreSession:
    """Collects a program for one core and runs it. Everything waits only for the events that it is told to wait for.

    ``noise`` fills the lanes of load beats that ``keep`` masks; without it they are zero.
    """

    def __init__(self, parameters: CoreParameters, noise: np.random.Generator | None = None) -> None:
        self.parameters = p = parameters
        self.operations: list[Operation] = []
        self._noise = noise
        self._queues: dict[str, _Queue] = {}
        self._formats = {"load_a": code_format(p.a), "load_b": code_format(p.b), "load_c": code_format(p.acc)}
        self._lanes = {"load_a": p.a_memory.lanes * p.vector, "load_b": p.b_memory.lanes, "load_c": p.c_memory.lanes}
        self._not_before = 0
        self._resets: list[tuple[int, int]] = []
        self._lost: list[Operation] = []
        self._longest = self._computing = 0  # cycles of the longest command, and of all together, at most

    def not_before(self, cycle: int) -> None:
        """Whatever is added from now on is offered in ``cycle`` at the earliest."""
        self._not_before = cycle

    def load(
        self, port: LoadPort, matrix: Matrix, base: int = 0, *, region: int = 0, after: After = (),
        announced: tuple[int, int] | None = None, ends: bool = True,
    ) -> Operation:  # fmt: skip
        """Loads ``matrix`` through ``port``; ``announced`` are the rows and columns that its command tells.

        One that does not end lacks ``last``: the core waits for more until it is reset.
        """
        rows, cols = announced or matrix.shape
        done = self._transfer(port, base, rows, cols, region, after)
        fmt = self._formats[port]
        beats = matrix_beats(matrix, self._lanes[port], (fmt, self._noise) if self._noise else None)
        beats.last[-1:] &= ends
        # The matrix goes with its command: the port takes no beat without one.
        self._send(f"{port}_beats", packed(beats, fmt.width), after)
        return done

    def command(
        self, m: int, n: int, k: int, dataflow: int, *, a: int = 0, b: int = 0, c: int = 0, bias: int = 0,
        region: int = 0, start: int = Start.ZERO, point: int = 0, after: After = (),
    ) -> Operation:  # fmt: skip
        """Issues a GEMM."""
        tag = self._tag()
        cycles = self._at_most(m, n, k)
        self._longest, self._computing = max(self._longest, cycles), self._computing + cycles
        layout = command_layout(self.parameters)
        place = {"point": point % (1 << 16)} if "point" in layout.members else {}
        word = record(
            layout, m=m, n=n, k=k, a_base=a, b_base=b, c_base=c, bias_base=bias, dataflow=int(dataflow),
            start=int(start), region=region, tag=tag, **place,
        )  # fmt: skip
        return self._operate("command", "completion", words(word, layout.size), tag, after)

    def read(self, rows: int, cols: int, base: int = 0, *, region: int = 0, after: After = ()) -> Operation:
        """Reads C; the matrix is in `CoreResult.matrices`, in the order of the reads."""
        return self._transfer("read_c", base, rows, cols, region, after)

    def reset(self, cycle: int, length: int = 1, *, lost: Sequence[Operation] = ()) -> None:
        """Resets the core in ``cycle``; whatever is added from now on comes after.

        ``lost`` are the operations that are not answered because of it: the last ones on their answers' streams. All
        that was added so far must be taken by then.
        """
        self._resets.append((cycle, length))
        self._not_before = cycle + length
        for operation in lost:
            self._queues[operation.answers].expected -= 1
        self._lost += lost

    def run(self, build: Build, *, seed: int = 1, stall: Stalls = None, limits: Limits | None = None) -> CoreResult:
        """Runs the program on ``build``. Without ``limits`` it is given up when it takes far longer than it should."""
        run = Run(build, seed).limits(limits or self._limits())
        for port in build.interface.streams:
            queue = self._queues.get(port.name, _Queue())
            stalls = stall.get(port.name) if isinstance(stall, Mapping) else stall
            if port.direction == "out":
                # How many beats a read-out has is known only when its status is.
                run.expect(port.name, None if port.name == "read_c_beats" else queue.expected, stall=stalls)
                continue
            for payload, after, cycle in zip(queue.beats, queue.after, queue.not_before, strict=True):
                run.send(port.name, payload, after=after, not_before=cycle, stall=stalls)
        for cycle, length in self._resets:
            run.reset(cycle, length)
        lost = {operation: self._resets[-1][0] for operation in self._lost}
        return CoreResult(self.parameters, self.operations, run, run.execute(), lost)

    def _limits(self) -> Limits:
        """Limits that no working core reaches, whatever the stalls, and that a hanging one reaches in seconds."""
        beats = sum(len(beats) for queue in self._queues.values() for beats in queue.beats)
        cycles = 1_000_000 + self._not_before + 4 * self._computing + 200 * beats
        return Limits(quiet=100_000 + self._not_before + 4 * self._longest, cycles=cycles)

    def _at_most(self, m: int, n: int, k: int) -> int:
        """Cycles that a command takes at most in any dataflow; 0 where it does not fit and is refused."""
        p = self.parameters
        groups = -(-k // p.vector)
        if max(m, 1) > min(p.a_memory.words, p.c_memory.words) or groups > p.b_memory.words:
            return 0
        down, across_n, across_m = -(-groups // p.rows), -(-n // p.cols), -(-m // p.cols)
        tile, wait = p.rows + p.cols, p.rows + p.cols + 64
        ws = down * (across_n * max(m, p.rows) + wait)
        inputs = down * (across_m * max(n, p.rows) + wait)
        outputs = -(-m // p.rows) * across_n * max(groups, p.rows)
        return max(ws, inputs, outputs) + 4 * tile + 200

    def _transfer(self, port: str, base: int, rows: int, cols: int, region: int, after: After) -> Operation:
        tag = self._tag()
        word = record(TRANSFER, base=base, rows=rows, cols=cols, region=region, tag=tag)
        payload = words(word, TRANSFER.size)
        return self._operate(f"{port}_command", f"{port}_answer", payload, tag, after, rows=rows, cols=cols)

    def _tag(self) -> int:
        return (len(self.operations) + 1) % 256

    def _operate(self, stream: str, answers: str, payload: Beats, tag: int, after: After, **shape: int) -> Operation:
        place = len(self._queues.setdefault(stream, _Queue()).beats)
        self._send(stream, payload, after)
        queue = self._queues.setdefault(answers, _Queue())
        operation = Operation(stream, place, answers, queue.expected, tag, **shape)
        queue.expected += 1
        self.operations.append(operation)
        return operation

    def _send(self, stream: str, beats: Beats, after: After) -> None:
        queue = self._queues.setdefault(stream, _Queue())
        wanted: dict[str, int] = {}
        for each in after:
            event = Event(each.answers, each.index + 1) if isinstance(each, Operation) else each
            wanted[event.stream] = max(event.count, wanted.get(event.stream, 0))
        queue.beats.append(beats)
        queue.after.append(wanted or None)
        queue.not_before.append(self._not_before)
