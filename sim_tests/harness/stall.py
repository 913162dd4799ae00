"""Random stalls: idle cycles of a stream that is fed, back-pressure on one that is read."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tilewright.sim_tests.harness.errors import InterfaceError


@dataclass(frozen=True)
class Stall:
    """When a stream pauses although it could move.

    Attributes:
        probability: that a cycle is a stall, 0..1; at 1 the stream never moves.
        burst_probability: that a long run of stalls starts, decided in each cycle outside such a run.
        burst_length: shortest and longest run, in cycles, both included, equally likely.
        wait_for_valid: outputs only: ready stays low until valid was seen high. A design whose valid waits for
            ready hangs, as it would behind any consumer that works like this.
        seed: distinguishes patterns within one run seed.
    """

    probability: float = 0.0
    burst_probability: float = 0.0
    burst_length: tuple[int, int] = (8, 64)
    wait_for_valid: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("probability", "burst_probability"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise InterfaceError(f"stall {name} must be 0..1, got {value}; nearest is {min(max(value, 0.0), 1.0)}")
        shortest, longest = self.burst_length
        if not 1 <= shortest <= longest:
            raise InterfaceError(f"stall burst_length must be 1 <= shortest <= longest, got {self.burst_length}")

    def packed(self, run_seed: int, stream: int) -> bytes:
        """Six words of the run script."""
        seed = (run_seed * 0x9E3779B97F4A7C15 + stream * 0xC2B2AE3D27D4EB4F + self.seed * 0x165667B19E3779F9) % 2**64
        single, burst = (min(int(p * 2**32), 2**32) for p in (self.probability, self.burst_probability))
        return struct.pack("<6Q", single, burst, *self.burst_length, self.wait_for_valid, seed)


def as_stall(stall: Stall | float | None) -> Stall:
    """A bare number is a probability; ``None`` never stalls."""
    return stall if isinstance(stall, Stall) else Stall(probability=stall or 0.0)
