"""The blocks of an engine with one core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilewright.hdl.axi.read_share import ReadShare
from tilewright.hdl.engine.core_parts import CoreParts
from tilewright.hdl.engine.fetch import Fetch
from tilewright.hdl.engine.parameters import EngineParameters
from tilewright.hdl.engine.registers import Registers
from tilewright.hdl.engine.stream_side import StreamSide
from tilewright.hdl.engine.supervisor import Supervisor
from tilewright.hdl.structure import Block

FAULTS = ("read", "fetching", "illegal", "load", "compute", "store", "tokens")
"""What may fail; of those in the same cycle the first counts."""


class EngineParts(CoreParts):
    """The blocks of the core, and those around it that a program has to do with."""

    def __init__(self, p: EngineParameters, constants: Mapping[str, int]) -> None:
        streams = StreamSide(p) if p.streams else None
        super().__init__(p, streams)
        self.supervisor = Supervisor(FAULTS)
        self.registers = Registers(constants)
        self.streams = streams
        self.fetch: Any
        if streams is None:
            self.share = ReadShare(p.address_bits, p.bus_bits, 2 * p.outstanding)
            self.fetch = Fetch(p.address_bits, p.bus_bits, p.max_burst, p.fetch_depth)
        else:
            self.fetch = streams.fetch

    @property
    def lasting(self) -> dict[str, Block]:
        """See `CoreParts`."""
        found = self._blocks("registers", "supervisor", "counters")
        return found | (self._blocks("share", "reads", "writes") if self.streams is None else self.streams.lasting)

    @property
    def of_a_run(self) -> dict[str, Block]:
        """See `CoreParts`."""
        found = self._blocks("fetch") if self.streams is None else self.streams.of_a_run
        return found | super().of_a_run
