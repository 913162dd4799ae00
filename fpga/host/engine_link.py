"""An engine behind a transport: programs are put into its memory and run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.fpga.host.run_failed import RunFailed
from tilewright.fpga.host.transport import Transport
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.emit.engine import constants
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.register_map import BY_NAME, COUNTERS

INSTRUCTION_BYTES = 64
PATIENCE = 10_000
"""How often an engine that is not idle is asked whether it is."""


@dataclass(frozen=True)
class Counts:
    """What the engine counted in a run: a number for each of `register_map.COUNTERS`.

    Attributes:
        values: of all cores together, but for ``cycles``, which are those of the run.
        cores: of each core.
    """

    values: dict[str, int]
    cores: tuple[dict[str, int], ...] = ()

    def __getitem__(self, name: str) -> int:
        return self.values[name]


class EngineLink:
    """Runs programs on the engine behind ``transport``, which must be the one that ``config`` describes."""

    def __init__(self, transport: Transport, config: EngineConfig, *, watchdog: int = 0) -> None:
        self.transport, self.config = transport, config
        for name, value in constants(config).items():
            found = self.read(name)
            if found != value:
                raise ConfigError(
                    f"the engine must be the one of this configuration: register {name} must be 0x{value:08x}, "
                    f"got 0x{found:08x}"
                )
        self.write("watchdog", watchdog)
        self.write("interrupt_enable", 1)

    def read(self, name: str) -> int:
        """The register ``name``."""
        return self.transport.read_register(BY_NAME[name].offset)

    def write(self, name: str, value: int) -> None:
        """Writes the register ``name``."""
        self.transport.write_register(BY_NAME[name].offset, value)

    def run(self, address: int, program: NDArray[np.uint8]) -> Counts:
        """Runs ``program``, bytes of whole instructions, from ``address`` in memory.

        Raises `RunFailed`, and TimeoutError where no interrupt comes, or memory still owes answers to an earlier run
        that has failed.
        """
        if not self._becomes_idle():
            raise TimeoutError(
                "the engine must be idle, but memory has not answered the requests of a run that has failed"
            )
        self.write("interrupt", 1)  # of a run that was aborted: it would end this one at once
        self.transport.write_memory(address, program)
        self.write("program_low", address & 0xFFFFFFFF)
        self.write("program_high", address >> 32)
        self.write("program_count", len(program) // INSTRUCTION_BYTES)
        self.write("control", 1)
        try:
            self.transport.wait()
        except TimeoutError:
            self.write("control", 2)  # abort: the next run must find the engine idle
            raise
        self.write("interrupt", 1)
        status = self.read("status")
        if status >> 2 & 1:
            low, middle, high = (self.read(f"{name}_missing") for name in ("load", "compute", "store"))
            core = status >> 4 & 0xF if self.config.cores > 1 else None
            self._becomes_idle()  # what is still to be written must not fall on the next run's operands
            raise RunFailed(
                Cause(status >> 8 & 0xFF), status >> 16 & 0xFF, status >> 24 & 0xFF, (low, middle, high), core
            )
        return self.counts()

    def _becomes_idle(self) -> bool:
        """A run that has failed may end before memory has answered; until it has, no other one may start."""
        return any(not self.read("status") & 1 for _ in range(PATIENCE))

    def counts(self) -> Counts:
        """What the last run has counted."""
        cores = []
        for core in range(self.config.cores):
            if self.config.cores > 1:
                self.write("counter_core", core)
            cores.append({n: self.read(f"{n}_low") | self.read(f"{n}_high") << 32 for n in COUNTERS})
        total = {name: sum(own[name] for own in cores) for name in COUNTERS}
        return Counts(total | {"cycles": cores[0]["cycles"]}, tuple(cores))
