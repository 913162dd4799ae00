"""What a design has to know of a board."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Board:
    """A board with a UART.

    Attributes:
        name: what it is called on command lines.
        clock_hz: of its oscillator.
        baud: what its UART is used at by default.
    """

    name: str
    clock_hz: int
    baud: int
