"""A program for a simulated GEMM core: loads, commands, read-outs, and what each waits for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.records import ANSWER, COMMAND, TRANSFER, Start, Status
from tilewright.sim_tests.harness.beats import Beats, pack, unpack
from tilewright.sim_tests.harness.result import Result
from tilewright.sim_tests.harness.run import Run
from tilewright.sim_tests.harness.stall import Stall

Matrix = NDArray[np.int64]


@dataclass(frozen=True)
class Event:
    """Something to wait for: the ``count``-th beat of output stream ``stream``."""

    stream: str
    count: int


@dataclass
class _Queue:
    beats: list[Beats] = field(default_factory=list)
    after: list[dict[str, int] | None] = field(default_factory=list)
    expected: int = 0


def record(layout: Any, **fields: int) -> int:
    """``fields`` packed as ``layout`` says; fields not given are 0."""
    word = 0
    for name, value in fields.items():
        place = layout[name]
        if not 0 <= value < 1 << place.width:
            raise ValueError(f"{name} must be 0..{(1 << place.width) - 1}, got {value}")
        word |= value << place.offset
    return word


def fields(layout: Any, word: int) -> dict[str, int]:
    """The fields of a packed ``word``."""
    return {name: word >> layout[name].offset & ((1 << layout[name].width) - 1) for name in layout.members}


def words(value: int, bits: int) -> Beats:
    """One beat of ``bits`` bits."""
    raw = value.to_bytes(-(-bits // 32) * 4, "little")
    return np.frombuffer(raw, dtype="<u4").astype(np.uint32).reshape(1, -1)


class CoreSession:
    """Collects a program for one core and runs it. Everything waits only for the events that it is told to wait for."""

    def __init__(self, parameters: CoreParameters) -> None:
        self.parameters = p = parameters
        self._queues: dict[str, _Queue] = {}
        self._formats = {"load_a": p.a, "load_b": p.b, "load_c": p.acc, "read_c": p.acc}
        lanes_b = p.b_memory.lanes
        self._lanes = {"load_a": p.a_memory.lanes * p.vector, "load_b": lanes_b, "load_c": p.c_memory.lanes}
        self._lanes["read_c"] = p.c_memory.lanes
        self._reads: list[tuple[int, int, int]] = []
        self._tags = 0

    def load(self, port: str, matrix: Matrix, base: int = 0, *, region: int = 0, after: tuple[Event, ...] = ()) -> Event:
        """Loads ``matrix`` through ``port`` (load_a, load_b, load_c); returns its answer."""
        rows, cols = matrix.shape
        self._transfer(port, base, rows, cols, region, after)
        beats = matrix_beats(matrix, self._lanes[port], self._formats[port].width)
        queue = self._queue(f"{port}_beats")
        queue.beats.append(beats)
        # The matrix goes with its command: the port takes no beat without one.
        queue.after.append({e.stream: e.count for e in after} or None)
        return self._expect(f"{port}_answer")

    def command(
        self, m: int, n: int, k: int, dataflow: Dataflow, *, a: int = 0, b: int = 0, c: int = 0, bias: int = 0,
        region: int = 0, start: Start = Start.ZERO, after: tuple[Event, ...] = (),
    ) -> Event:  # fmt: skip
        """Issues a GEMM; returns its completion."""
        self._tags = (self._tags + 1) % 256
        word = record(
            COMMAND, m=m, n=n, k=k, a_base=a, b_base=b, c_base=c, bias_base=bias, dataflow=int(dataflow),
            start=int(start), region=region, tag=self._tags,
        )  # fmt: skip
        self._send("command", words(word, COMMAND.size), after)
        return self._expect("completion")

    def read(self, rows: int, cols: int, base: int = 0, *, region: int = 0, after: tuple[Event, ...] = ()) -> Event:
        """Reads C; returns its answer. The matrix is in `CoreResult.matrices`, in the order of the reads."""
        self._transfer("read_c", base, rows, cols, region, after)
        beats = rows * -(-cols // self._lanes["read_c"])
        first = self._queue("read_c_beats").expected
        self._queue("read_c_beats").expected += beats
        self._reads.append((first, rows, cols))
        return self._expect("read_c_answer")

    def run(self, build: Any, *, seed: int = 1, stall: Stall | float | None = None) -> CoreResult:
        """Runs the program on ``build``."""
        run = Run(build, seed)
        for port in build.interface.streams:
            queue = self._queues.get(port.name, _Queue())
            if port.direction == "in":
                for beats, after in zip(queue.beats, queue.after, strict=True):
                    run.send(port.name, beats, after=after, stall=stall)
            else:
                run.expect(port.name, queue.expected, stall=stall)
        return CoreResult(self, run, run.execute())

    def _transfer(self, port: str, base: int, rows: int, cols: int, region: int, after: tuple[Event, ...]) -> None:
        self._tags = (self._tags + 1) % 256
        word = record(TRANSFER, base=base, rows=rows, cols=cols, region=region, tag=self._tags)
        self._send(f"{port}_command", words(word, TRANSFER.size), after)

    def _queue(self, stream: str) -> _Queue:
        return self._queues.setdefault(stream, _Queue())

    def _send(self, stream: str, beats: Beats, after: tuple[Event, ...]) -> None:
        self._queue(stream).beats.append(beats)
        self._queue(stream).after.append({e.stream: e.count for e in after} or None)

    def _expect(self, stream: str) -> Event:
        self._queue(stream).expected += 1
        return Event(stream, self._queue(stream).expected)


class CoreResult:
    """What a program gave: statuses, matrices, cycles."""

    def __init__(self, session: CoreSession, run: Run, result: Result) -> None:
        self._session, self.run, self.result = session, run, result

    def statuses(self, stream: str) -> list[Status]:
        """Statuses of the answers on ``stream``, in order."""
        return [Status(fields(ANSWER, int(beat[0]))["status"]) for beat in self.result[stream].beats]

    @property
    def matrices(self) -> list[Matrix]:
        """What the reads gave."""
        p = self._session.parameters
        lanes = p.c_memory.lanes
        values = unpack(self.result["read_c_beats"].beats, p.acc.width, lanes, signed=True)
        found = []
        for first, rows, cols in self._session._reads:
            panels = -(-cols // lanes)
            block = values[first : first + rows * panels].reshape(rows, panels * lanes)
            found.append(block[:, :cols])
        return found

    @property
    def command_cycles(self) -> list[int]:
        """Cycles from the edge that takes each command to the edge that offers its completion."""
        taken, offered = self.result["command"].cycle, self.result["completion"].offer
        return [int(o - t) for t, o in zip(taken, offered, strict=True)]


def matrix_beats(matrix: Matrix, lanes: int, width: int) -> Beats:
    """Row-major beats of data, keep, last: every row starts on a new beat."""
    rows, cols = matrix.shape
    panels = -(-cols // lanes)
    padded = np.zeros((rows, panels * lanes), dtype=np.int64)
    padded[:, :cols] = matrix
    keep = np.zeros((rows, panels * lanes), dtype=np.int64)
    keep[:, :cols] = 1
    bits = lanes * (width + 1) + 1
    beats = pack(padded.reshape(rows * panels, lanes), width, bits)
    pack(keep.reshape(rows * panels, lanes), 1, bits, offset=lanes * width, out=beats)
    last = np.zeros((rows * panels, 1), dtype=np.int64)
    last[-1:] = 1
    pack(last, 1, bits, offset=bits - 1, out=beats)
    return beats
