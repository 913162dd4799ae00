"""Cycles of a UART's bit."""

from __future__ import annotations

from tilewright.generators.config.errors import ConfigError
from tilewright.hdl.link.uart_timing import LARGEST_DIVISOR, LEAST_DIVISOR

MOST_ERROR = 0.01
"""By how much a bit may be longer or shorter than its rate says."""


def divisor_of(clock_hz: int, baud: int) -> int:
    """Cycles of a bit, the nearest whole number.

    Raises ConfigError where that is further from ``clock_hz / baud`` than ``MOST_ERROR`` = 1 %, or out of the range of
    a `UartReceive`; it names the nearest rates that can be had.
    """
    least, most = -(-clock_hz // LARGEST_DIVISOR), clock_hz // LEAST_DIVISOR
    if not least <= baud <= most:
        raise ConfigError(
            f"baud must be {least}..{most} bits/s at a clock of {clock_hz} Hz, got {baud}; "
            f"nearest legal value is {min(max(baud, least), most)}"
        )
    divisor = round(clock_hz / baud)
    if abs(error_of(clock_hz, baud, divisor)) > MOST_ERROR:
        near = clock_hz // baud
        raise ConfigError(
            f"baud must be within 1 % of the clock of {clock_hz} Hz divided by a whole number, got {baud}; "
            f"nearest legal values are {clock_hz // (near + 1)} and {clock_hz // near}"
        )
    return divisor


def error_of(clock_hz: int, baud: int, divisor: int) -> float:
    """By how much bits of ``divisor`` cycles are too long, as a fraction."""
    return divisor * baud / clock_hz - 1
