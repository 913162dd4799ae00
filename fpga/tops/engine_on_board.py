"""Which engines a board can have, and the memory that they have there."""

from __future__ import annotations

from tilewright.fpga.tops.engine_identity import engine_identity
from tilewright.fpga.tops.linked_engine import LinkedEngine
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.errors import ConfigError, must_be
from tilewright.generators.emit.engine import constants, engine_parameters

MEMORY_BYTES = 1 << 16
"""Bytes of block RAM behind the port of an engine, unless its addresses reach fewer."""


def linked_engine(config: EngineConfig, divisor: int) -> LinkedEngine:
    """The engine and its memory behind a UART of ``divisor`` cycles a bit.

    Raises ConfigError where it has other ports than one to memory, or too much to tell of itself.
    """
    if config.streams:
        raise ConfigError(must_be("data_ports", "axi4 for a board", config.data_ports, "axi4"))
    if config.cores > 1:
        raise ConfigError(must_be("cores", "1 for a board", config.cores, 1))
    size = min(MEMORY_BYTES, 1 << config.address_bits)
    return LinkedEngine(engine_parameters(config), constants(config), size, engine_identity(config, size), divisor)
