"""What is asked of the stalls of a simulation: streams that pause, and move again before the run is given up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilewright.generators.config.errors import ConfigError, must_be
from tilewright.sim_tests.harness.ports import StreamPort
from tilewright.sim_tests.harness.stall import Stall, real

MOST = 0.9999
"""Largest probability: a stream then moves in one of ten thousand cycles."""
LONGEST = 50_000
"""Cycles of the longest pause: half of the time after which a run counts as a deadlock."""


def checked_stall(stall: object) -> Stall:
    """``stall``, a probability or a `Stall`; None never stalls. Raises ConfigError where the core could not get on."""
    if stall is None:
        return Stall()
    if not isinstance(stall, Stall):
        number = real(stall)
        if number is None or not 0 <= number < 1:
            nearest = 0.9 if number is not None and number >= 1 else 0
            raise ConfigError(must_be("stall", "a probability 0 <= p < 1", stall, nearest))
        _check("stall", number)
        return Stall(number)
    _check("stall.probability", stall.probability)
    _check("stall.burst_probability", stall.burst_probability)
    longest = stall.burst_length[1]
    if longest > LONGEST:
        nearest_length = (min(stall.burst_length[0], LONGEST), LONGEST)
        rule = f"at most {LONGEST} cycles long in a simulation"
        raise ConfigError(must_be("stall.burst_length", rule, stall.burst_length, nearest_length))
    return stall


def stalls_by_port(stall: Stall, ports: Sequence[StreamPort]) -> dict[str, Stall]:
    """``stall`` for each stream; what concerns a ready only is for those that are read."""
    sent = replace(stall, wait_for_valid=False)
    return {port.name: stall if port.direction == "out" else sent for port in ports}


def _check(field: str, probability: float) -> None:
    if probability > MOST:
        raise ConfigError(must_be(field, f"a probability 0 <= p <= {MOST} in a simulation", probability, MOST))
