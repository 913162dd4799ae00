"""Random stalls: idle cycles of a stream that is fed, back-pressure on one that is read."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from tilewright.generators.config.errors import shown
from tilewright.generators.config.rules import Whole
from tilewright.sim_tests.harness.errors import InterfaceError

_LENGTH = Whole(1, 2**31 - 1, "cycles")


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

    Raises ConfigError where one of them is out of range or of another type.
    """

    probability: float = 0.0
    burst_probability: float = 0.0
    burst_length: tuple[int, int] = (8, 64)
    wait_for_valid: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("probability", "burst_probability"):
            value = getattr(self, name)
            number = real(value)
            if number is None or not 0.0 <= number <= 1.0:
                nearest = 0.0 if number is None or number < 0 else 1.0
                raise InterfaceError(f"stall {name} must be 0..1, got {shown(value)}; nearest is {nearest}")
            object.__setattr__(self, name, number)
        object.__setattr__(self, "burst_length", _lengths(self.burst_length))
        waits, seed = vars(self)["wait_for_valid"], vars(self)["seed"]
        if not isinstance(waits, bool | np.bool_):
            raise InterfaceError(f"stall wait_for_valid must be True or False, got {shown(waits)}; nearest is False")
        object.__setattr__(self, "wait_for_valid", bool(waits))
        if isinstance(seed, bool) or not isinstance(seed, Integral):
            raise InterfaceError(f"stall seed must be a whole number, got {shown(seed)}; nearest is 0")
        object.__setattr__(self, "seed", int(seed))

    def packed(self, run_seed: int, stream: int) -> bytes:
        """Six words of the run script."""
        seed = (run_seed * 0x9E3779B97F4A7C15 + stream * 0xC2B2AE3D27D4EB4F + self.seed * 0x165667B19E3779F9) % 2**64
        single, burst = (min(int(p * 2**32), 2**32) for p in (self.probability, self.burst_probability))
        return struct.pack("<6Q", single, burst, *self.burst_length, self.wait_for_valid, seed)


def as_stall(stall: Stall | float | None) -> Stall:
    """A bare number is a probability; ``None`` never stalls."""
    return stall if isinstance(stall, Stall) else Stall(probability=stall or 0.0)


def real(value: Any) -> float | None:
    """``value`` as a float where it is a real number of any library, not a truth value, not NaN; else None."""
    if isinstance(value, bool | np.bool_ | str) or getattr(value, "ndim", 0) != 0:
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer beyond all floats
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        return None
    return None if math.isnan(number) else number


def _lengths(value: object) -> tuple[int, int]:
    found = [_LENGTH.take(each) for each in value] if isinstance(value, tuple | list) else []
    match found:
        case [int(shortest), int(longest)] if shortest <= longest:
            return shortest, longest
    raise InterfaceError(
        f"stall burst_length must be 1 <= shortest <= longest <= {_LENGTH.high}, got {shown(value)}; nearest is (8, 64)"
    )
