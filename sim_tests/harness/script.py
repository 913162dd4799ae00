"""What a run does, decided beforehand: kept as a plan in Python, handed to the compiled driver as a file of words."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tilewright.sim_tests.harness.beats import Beats, empty
from tilewright.sim_tests.harness.ports import Interface
from tilewright.sim_tests.harness.stall import Stall

_MAGIC = 0x31306E75722D7774

#: Source of a condition on the cycle number.
CLOCK = -1


@dataclass(frozen=True)
class Condition:
    """Beat ``beat`` waits until ``source`` (index of a stream, or ``CLOCK``) has reached ``count``."""

    beat: int
    source: int
    count: int


@dataclass
class StreamScript:
    """What one stream does.

    Attributes:
        stall: when it pauses.
        chunks: beats to send, in pieces.
        conditions: of beats to send, ascending in ``beat``.
        expected: number of beats to receive, -1 for any.
        wanted: the beats to receive, if their values are known.
        mask: the bits of ``wanted`` that count; all if ``None``.
    """

    stall: Stall = field(default_factory=Stall)
    chunks: list[Beats] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    expected: int = 0
    wanted: Beats | None = None
    mask: Beats | None = None

    @property
    def sent(self) -> int:
        """Beats to send."""
        return sum(len(chunk) for chunk in self.chunks)

    def payload(self, words: int) -> Beats:
        """All beats to send."""
        return np.concatenate(self.chunks) if self.chunks else empty(0, words * 32)


@dataclass(frozen=True)
class Limits:
    """When a run is given up, and how it begins and ends.

    Attributes:
        quiet: cycles without a transfer on any stream that count as a deadlock; outputs without valid of which any
            number of beats is expected do not count, they have one in every cycle.
        cycles: cycles after reset.
        reset: cycles of reset at the start.
        linger: cycles that run on after the last expected transfer, to catch beats nobody expects.
    """

    quiet: int = 100_000
    cycles: int = 20_000_000
    reset: int = 4
    linger: int = 16


@dataclass
class Plan:
    """A whole run.

    Attributes:
        seed: initial register values, stalls, noise.
        limits: begin and end.
        pulses: cycle and length of each reset after the first.
        constants: values of plain inputs; 0 where absent.
        streams: in the order of the interface.
        groups: signal groups for the waveform of a replay; one for each stream if ``None``.
    """

    seed: int
    streams: list[StreamScript]
    limits: Limits = field(default_factory=Limits)
    pulses: list[tuple[int, int]] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    groups: Mapping[str, Sequence[str]] | None = None

    def script(self, interface: Interface) -> bytes:
        """The run script, as ``driver/script.h`` reads it."""
        limits = self.limits
        parts = [
            struct.pack("<QQq", _MAGIC, interface.identity, self.seed),
            struct.pack("<5q", limits.reset, limits.linger, limits.quiet, limits.cycles, len(self.pulses)),
            *(struct.pack("<2q", *pulse) for pulse in self.pulses),
        ]
        for name, width in interface.inputs:
            size = (width + 31) // 32 * 4
            parts.append(_padded(self.constants.get(name, 0).to_bytes(size, "little")))
        for index, (port, stream) in enumerate(zip(interface.streams, self.streams, strict=True)):
            inward = port.direction == "in"
            parts.append(stream.stall.packed(self.seed, index))
            parts.append(struct.pack("<2q", stream.sent if inward else stream.expected, len(stream.conditions)))
            parts.append(condition_table(stream).tobytes())
            if inward:
                parts.append(_padded(np.ascontiguousarray(stream.payload(port.words), dtype="<u4").tobytes()))
        return b"".join(parts)


def condition_table(stream: StreamScript) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Conditions as rows of beat, source, count."""
    rows = [(c.beat, c.source, c.count) for c in stream.conditions]
    return np.array(rows, dtype="<i8").reshape(len(rows), 3)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)
