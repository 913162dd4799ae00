"""A cell of a device, which synthesis takes as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from amaranth.hdl import Const
from amaranth.lib.wiring import Member

from tilewright.hdl.structure.block import Block

CLOCK = "clk"
"""What a pin is at that takes the clock of the domain."""

UNUSED = "unused"
"""The word that output pins are at whose level nobody reads."""

Pin: TypeAlias = tuple[str, int | None] | str | int | Const | None
"""What a pin is at: a bit of a port (name, number) or of `UNUSED`, all of a port (name, None), the clock, a constant.

An input at None is open.
"""


class Primitive(Block):
    """One cell of a device in a module of its own, with words for ports where the cell has single pins.

    Emitted as an instance with named parameters and pins; whoever simulates that needs a model of the cell. A design
    that Amaranth elaborates as a whole has what the subclass elaborates, which does the same.

    Parameters
    ----------
    name, members
        See `Block`.
    cell: str
        The type of the cell, as the device's tools call it.
    parameters: mapping of str to str or Const
        Those that differ from the defaults of the cell, and what a reader wants to know.
    pins: mapping of str to Pin
        All pins that the model of the cell has. Constants at pins may cost wires of the device, open inputs do not.
    """

    def __init__(
        self,
        name: str,
        members: Mapping[str, Member],
        *,
        cell: str,
        parameters: Mapping[str, str | Const],
        pins: Mapping[str, Pin],
    ) -> None:
        self.cell, self.parameters, self.pins = cell, dict(parameters), dict(pins)
        super().__init__(name, members)

    @property
    def clocked(self) -> bool:
        """Whether a pin takes the clock."""
        return any(isinstance(pin, str) and pin == CLOCK for pin in self.pins.values())


def word_pins(prefix: str, port: str, width: int, first: int = 0) -> dict[str, Pin]:
    """Pins ``<prefix><first>`` and on for the bits of a word."""
    return {f"{prefix}{first + bit}": (port, bit) for bit in range(width)}
