"""The side of a core that users see where it does one thing at a time."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib.wiring import connect, flipped

from tilewright.hdl.memory import Geometry
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.c_access import ArrayAccess
from tilewright.hdl.systolic.one_memory import OneMemory
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.turn_paths import connect_c, connect_operand, connect_streams
from tilewright.hdl.systolic.turns import Turns


class InTurn:
    """`Turns` for all commands and transfers, and one memory for both regions of C.

    Attributes
    ----------
    flight: what walkers take commands from
    blocks: what is placed, by name
    """

    def __init__(self, p: CoreParameters) -> None:
        self.flight = Turns(p)
        self.blocks = {"turns": self.flight}
        self._c = OneMemory(p.c_memory)
        self._has_point = p.has_point

    def connect_commands(self, m: Module, core: Any) -> None:
        """Commands of ``core`` and their completions."""
        connect(m, flipped(core.command), self.flight.command)
        connect(m, self.flight.completion, flipped(core.completion))
        connect_streams(m, core, self.flight)

    def connect_loads(self, m: Module, core: Any, name: str, memory: Any) -> None:
        """``memory``, the scratchpad of A or B, is written by its loads alone."""
        connect_operand(m, core, self.flight, name, memory)

    def connect_c(self, m: Module, platform: Any, geometry: Geometry, array: ArrayAccess) -> tuple[Value, Value]:
        """See `ConnectC`."""
        return self._c.connect(m, platform, geometry, array)

    def connect_transfers(self, m: Module, platform: Any, core: Any, array: SystolicArray) -> None:
        """Loads of C, and read-outs."""
        connect_c(m, core, self.flight, self._c)
        if self._has_point:
            m.d.comb += array.point.eq(self.flight.point)
