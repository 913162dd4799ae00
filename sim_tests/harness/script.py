"""The run script: what a run does, as the compiled driver reads it (see ``driver/script.h``)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
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
    """What one stream does in a run: beats to send, or how many to expect (-1: any number)."""

    stall: Stall = field(default_factory=Stall)
    chunks: list[Beats] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    expected: int = 0

    @property
    def sent(self) -> int:
        """Beats to send."""
        return sum(len(chunk) for chunk in self.chunks)


@dataclass(frozen=True)
class Limits:
    """When a run is given up, and how it begins and ends.

    Attributes:
        quiet: cycles without a transfer on any stream that count as a deadlock.
        cycles: cycles after reset.
        reset: cycles of reset at the start.
        linger: cycles that run on after the last expected transfer, to catch beats nobody expects.
    """

    quiet: int = 100_000
    cycles: int = 20_000_000
    reset: int = 4
    linger: int = 16


def serialise(
    interface: Interface,
    seed: int,
    limits: Limits,
    pulses: list[tuple[int, int]],
    constants: Mapping[str, int],
    streams: list[StreamScript],
) -> bytes:
    """The bytes of a run script."""
    parts = [
        struct.pack("<QQq", _MAGIC, interface.identity, seed),
        struct.pack("<5q", limits.reset, limits.linger, limits.quiet, limits.cycles, len(pulses)),
        *(struct.pack("<2q", *pulse) for pulse in pulses),
    ]
    for name, width in interface.inputs:
        size = (width + 31) // 32 * 4
        parts.append(_padded(constants.get(name, 0).to_bytes(size, "little")))
    for index, (port, stream) in enumerate(zip(interface.streams, streams, strict=True)):
        count = stream.sent if port.direction == "in" else stream.expected
        parts.append(stream.stall.packed(seed, index))
        parts.append(struct.pack("<2q", count, len(stream.conditions)))
        table = np.array([(c.beat, c.source, c.count) for c in stream.conditions], dtype="<i8")
        parts.append(table.tobytes())
        if port.direction == "in":
            beats = np.concatenate(stream.chunks) if stream.chunks else empty(0, port.bits)
            parts.append(_padded(np.ascontiguousarray(beats, dtype="<u4").tobytes()))
    return b"".join(parts)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)
