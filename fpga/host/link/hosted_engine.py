"""A core behind a link as an engine: memory, tiles' ways and finishing are the host's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.fpga.host.link.core_driver import CoreDriver
from tilewright.fpga.host.link.remote_core import RemoteCore
from tilewright.generators.config.engine import EngineConfig, engine_config
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.engine import constants
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.hdl.engine.register_map import BY_NAME
from tilewright.hdl.numeric import IntFormat

MEMORY_BYTES = 1 << 28
"""What was never touched costs nothing."""
INSTRUCTION_BYTES = 64
_DONE = 1 << 1


def hosted_config(config: SystolicConfig) -> EngineConfig:
    """An engine with the core of ``config`` and everything that engines may have: the host lacks nothing."""
    integers = isinstance(config.acc, IntFormat)
    core = config.model_dump(exclude={"product", "module_name", "in_flight"})
    words = {f"{name}_words": getattr(config.scratchpads, name).words for name in "abc"}
    either = {"channels": 65_535, "row_sums": 65_535, "adds": True, "table": True} if integers else {}
    functions = {} if integers else dict.fromkeys(("sigmoid", "tanh", "silu", "gelu"), True)
    limits = {"memory_limit_bits": 1 << 40, "pool_words": 65_536, "transposer": 4096}
    return engine_config(core | words | either | functions | limits)


class HostedEngine:
    """A `tilewright.fpga.host.transport.Transport`: what an engine does is interpreted, but for its core.

    It counts no cycles.

    Args:
        driver: of the core.
        config: see `hosted_config`.
    """

    memory_base = 0
    memory_bytes = MEMORY_BYTES

    def __init__(self, driver: CoreDriver, config: EngineConfig) -> None:
        self.driver = driver
        self._memory = np.zeros(MEMORY_BYTES, dtype=np.uint8)
        self._engine = ReferenceEngine(config, self._memory, lambda found: RemoteCore(found, driver))
        self._registers = {BY_NAME[name].offset: value for name, value in constants(config).items()}

    def read_register(self, offset: int) -> int:
        """See `Transport`."""
        return self._registers.get(offset, 0)

    def write_register(self, offset: int, value: int) -> None:
        """See `Transport`; the start runs the program to its end."""
        self._registers[offset] = value
        if offset == BY_NAME["control"].offset and value & 1:
            low, high, count = (self._registers[BY_NAME[f"program_{part}"].offset] for part in ("low", "high", "count"))
            begin = low | high << 32
            self._engine.run(self._memory[begin : begin + INSTRUCTION_BYTES * count])
            self._registers[BY_NAME["status"].offset] = _DONE

    def read_memory(self, address: int, size: int) -> NDArray[Any]:
        """See `Transport`."""
        return self._memory[address : address + size].copy()

    def write_memory(self, address: int, data: NDArray[Any]) -> None:
        """See `Transport`."""
        self._memory[address : address + len(data)] = data

    def wait(self) -> None:
        """See `Transport`; the start has waited."""

    def close(self) -> None:
        """See `Transport`."""
        self.driver.link.close()
