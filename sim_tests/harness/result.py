"""What a run produced, as the compiled driver wrote it (see ``driver/result.cpp``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.sim_tests.harness.beats import Beats, unpack
from tilewright.sim_tests.harness.errors import HarnessError, InterfaceError
from tilewright.sim_tests.harness.ports import Interface, StreamPort

_MAGIC = 0x31307365722D7774


class Outcome(IntEnum):
    """How a run ended; the numbers are the driver's."""

    PASSED = 0
    VALID_WITHDRAWN = 1
    PAYLOAD_CHANGED = 2
    UNEXPECTED_BEAT = 3
    NONZERO_OUTPUT = 4
    DEADLOCK = 5
    CYCLE_LIMIT = 6
    DESIGN_FINISHED = 7


@dataclass(frozen=True)
class StreamResult:
    """Transfers of one stream.

    Attributes:
        port: the stream.
        beats: payloads, ``(n, words)`` of ``uint32``; of outputs only, empty for inputs.
        cycle: cycle in which each beat was transferred.
        offer: cycle in which valid was first high for that beat.
        wall: nanoseconds of wall time since the start at which each transfer was seen.
        stalled: cycles the harness paused: an input that could have offered, an output that refused a valid beat.
        waited: cycles an input's next beat waited for its conditions.
        refused: cycles an input's offered beat was refused by the design.
        valid, ready: levels in the last cycle.
        waiting: whether an input's next beat still waited for a condition at the end.
        held: the beat last held up (outputs).
        last: the payload in the last cycle (outputs).
    """

    port: StreamPort
    beats: Beats
    cycle: NDArray[np.int64]
    offer: NDArray[np.int64]
    wall: NDArray[np.int64]
    stalled: int
    waited: int
    refused: int
    valid: bool
    ready: bool
    waiting: bool
    held: Beats
    last: Beats

    def __len__(self) -> int:
        return len(self.cycle)

    def elements(self, signal: str, width: int, *, signed: bool) -> NDArray[Any]:
        """One signal of all beats, cut into elements of ``width`` bits: ``(n, elements)``."""
        offset, total = self.port.field(signal)
        if total % width:
            raise InterfaceError(f"signal {signal} has {total} bits, which is no multiple of {width}")
        return unpack(self.beats, width, total // width, signed=signed, offset=offset)


@dataclass(frozen=True)
class Result(Mapping[str, StreamResult]):
    """A finished run; ``result[stream]`` is that stream's transfers.

    Attributes:
        outcome: how it ended.
        culprit: index of the stream (or plain port, for ``NONZERO_OUTPUT``) that ended it, -1 if none.
        last_cycle: last cycle that was simulated.
        wall_seconds: wall time of the simulation loop, without process start and files.
        outputs: plain outputs, ``zeros`` included, before the last edge.
        streams: by name.
        log: what the design printed.
        seed: seed of the run.
    """

    outcome: Outcome
    culprit: int
    last_cycle: int
    wall_seconds: float
    outputs: Mapping[str, int]
    streams: Mapping[str, StreamResult]
    log: str
    seed: int

    def __getitem__(self, name: str) -> StreamResult:
        return self.streams[name]

    def __iter__(self) -> Any:
        return iter(self.streams)

    def __len__(self) -> int:
        return len(self.streams)

    @property
    def cycles(self) -> int:
        """Cycles after reset that were simulated, the lingering ones included."""
        return self.last_cycle + 1

    @property
    def cycles_per_second(self) -> float:
        """Simulation speed over the whole run."""
        return self.cycles / self.wall_seconds if self.wall_seconds else 0.0


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def array(self, count: int, kind: str) -> NDArray[Any]:
        values = np.frombuffer(self.data, dtype=kind, count=count, offset=self.at)
        self.at += (values.nbytes + 7) // 8 * 8
        return values

    def number(self) -> int:
        return int(self.array(1, "<i8")[0])


def read_result(file: Path, interface: Interface, log: str, seed: int) -> Result:
    """Read the driver's result file."""
    reader = _Reader(file.read_bytes())
    if reader.number() != _MAGIC:
        raise HarnessError(f"{file.name} is not a result of this driver")
    outcome, culprit, last, nanoseconds = (reader.number() for _ in range(4))
    outputs = {
        name: int.from_bytes(reader.array((width + 31) // 32, "<u4").tobytes(), "little")
        for name, width in (*interface.outputs, *interface.zeros)
    }
    streams = {port.name: _stream(reader, port) for port in interface.streams}
    return Result(Outcome(outcome), culprit, last, nanoseconds * 1e-9, outputs, streams, log, seed)


def _stream(reader: _Reader, port: StreamPort) -> StreamResult:
    count, stalled, waited, refused, valid, ready, waiting = (reader.number() for _ in range(7))
    cycle, offer, wall = (reader.array(count, "<i8") for _ in range(3))
    shapes = (0, 0, 0) if port.direction == "in" else (count, 1, 1)
    beats, held, last = (reader.array(n * port.words, "<u4").reshape(n, port.words) for n in shapes)
    return StreamResult(
        port, beats, cycle, offer, wall, stalled, waited, refused, bool(valid), bool(ready), bool(waiting), held, last
    )
