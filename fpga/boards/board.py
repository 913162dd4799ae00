"""What a design has to know of a board."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Board:
    """A board with a UART.

    Attributes:
        name, title: what it is called on command lines, and in print.
        family: of its FPGA; decides the tools.
        device, package: as place and route calls them.
        clock_hz: of its oscillator.
        clock, rx, tx: pins; ``rx`` is what the FPGA receives on.
        baud: what its UART is used at by default.
        load: the command that loads a bitstream, with ``{file}``.
    """

    name: str
    title: str
    family: str
    device: str
    package: str
    clock_hz: int
    clock: str
    rx: str
    tx: str
    baud: int
    load: str
