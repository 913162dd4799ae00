"""What has to be known of a board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Family = Literal["ice40", "ecp5", "gowin"]


@dataclass(frozen=True)
class Part:
    """An FPGA, as the tools of its family name it.

    Attributes:
        family: which tools build for it.
        device: the die.
        package: the case around it; of Gowin the whole name of the part.
        speed: its grade, where the package does not tell it.
    """

    family: Family
    device: str
    package: str
    speed: str = ""


@dataclass(frozen=True)
class Board:
    """A board with a UART.

    Attributes:
        name: what it is called on command lines.
        title: what its maker calls it.
        part: its FPGA.
        clock_hz: of its oscillator.
        baud: what its UART is used at by default.
        pins: of the part, by port of the top level: ``clk``, ``rx``, ``tx``.
        load: the command that loads a file into it.
    """

    name: str
    title: str
    part: Part
    clock_hz: int
    baud: int
    pins: Mapping[str, str] = field(hash=False)
    load: str
