"""What an engine on a board tells of itself."""

from __future__ import annotations

import json
from typing import Any

from tilewright.fpga.tops.identity import UnknownDesign, digest_of, fields_text
from tilewright.generators.config.engine import EngineConfig, engine_config
from tilewright.generators.config.errors import ConfigError
from tilewright.hdl.link.frame import MOST_PAYLOAD

MAGIC = "TILEWRIGHT-ENGINE1"
"""The first word; its number changes with what ports of a link to an engine mean."""
_UNTOLD = ("memory_limit_bits",)  # the name of the module is part of the digest that the engine's registers hold


def engine_identity(config: EngineConfig, memory_bytes: int) -> bytes:
    """Magic, digest of the configuration, bytes of the memory at address 0, and the fields that are not the default,
    as JSON; words apart by a space.

    Raises ConfigError where that is longer than a frame of the link may be.
    """
    text = fields_text(config, _UNTOLD)
    told = f"{MAGIC} {digest_of(text)} {memory_bytes} {text}".encode()
    if len(told) > MOST_PAYLOAD:
        raise ConfigError(
            f"module_name and the fields that are not the default must be told in {MOST_PAYLOAD} bytes for a board, "
            f"got {len(told)} bytes; nearest legal step is to leave some of them at their defaults"
        )
    return told


def tells_engine(told: bytes) -> bool:
    """Whether ``told`` is of an engine, of whichever version."""
    return told.startswith(MAGIC.rstrip("1").encode())


def engine_of(told: bytes) -> tuple[EngineConfig, int]:
    """Configuration and bytes of memory of the engine that tells ``told``. Raises UnknownDesign."""
    words = told.rstrip(b"\0").split(b" ", 3)
    if words[0] != MAGIC.encode():
        raise UnknownDesign(f"an identity must begin with {MAGIC}, got {told[:24]!r}")
    try:
        _, digest, size, text = (word.decode() for word in words)
        fields: dict[str, Any] = json.loads(text)
        config, memory_bytes = engine_config(fields), int(size)
    except ValueError as error:
        raise UnknownDesign(f"the identity of the design cannot be read: {error}") from None
    if digest_of(fields_text(config, _UNTOLD)) != digest:
        raise UnknownDesign(f"the design was made by another version: its fields have digest {digest} there")
    return config, memory_bytes
