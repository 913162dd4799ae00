"""The blocks of an engine with several cores."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.hdl.axi.read_share import ReadShare
from tilewright.hdl.engine.blame import Blame
from tilewright.hdl.engine.deal import Deal
from tilewright.hdl.engine.fetch import Fetch
from tilewright.hdl.engine.parameters import EngineParameters
from tilewright.hdl.engine.registers import Registers
from tilewright.hdl.engine.supervisor import Supervisor
from tilewright.hdl.engine.worker import Worker
from tilewright.hdl.structure import Block

FAULTS = ("fetching", "illegal", "core")
"""What may fail; of those in the same cycle the first counts."""


class ManyParts:
    """The workers, and the blocks around them that a program has to do with: attributes by their names.

    ``lasting`` are those that only the reset of the engine resets, ``of_a_run`` those that are also reset between runs.
    Workers see to themselves.
    """

    def __init__(self, p: EngineParameters, constants: Mapping[str, int]) -> None:
        self.parameters = p
        self.supervisor = Supervisor(FAULTS)
        self.registers = Registers(constants, p.cores)
        self.share = ReadShare(p.address_bits, p.bus_bits, 2 * max(p.outstanding, p.fetch_depth))
        self.fetch = Fetch(p.address_bits, p.bus_bits, p.max_burst, p.fetch_depth)
        self.dispatch = Deal(p.cores)
        self.blame = Blame(p.cores)
        self.workers = [Worker(p) for _ in range(p.cores)]

    @property
    def lasting(self) -> dict[str, Block]:
        """See above."""
        names = ("registers", "supervisor", "blame", "share")
        workers = {f"worker_{core}": worker for core, worker in enumerate(self.workers)}
        return {name: getattr(self, name) for name in names} | workers

    @property
    def of_a_run(self) -> dict[str, Block]:
        """See above."""
        return {"fetch": self.fetch, "dispatch": self.dispatch}
