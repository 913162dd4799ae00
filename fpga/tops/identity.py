"""What a design on a board tells of itself, so that a host knows what it talks to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from typing import Any

from tilewright.generators.config.systolic import SystolicConfig, systolic_config

MAGIC = "TILEWRIGHT1"
"""The first word; its number changes with what ports of a link mean."""
_UNTOLD = ("module_name", "memory_limit_bits")  # they change nothing that a host could see


class UnknownDesign(ValueError):
    """What answered is no design of this project, or of another version of it."""


def identity(config: SystolicConfig) -> bytes:
    """Magic, digest of the configuration, and the fields of it that are not the default, as JSON; words apart by a
    space. The longest that a core can have is no longer than a frame of the link may be."""
    text = fields_text(config, _UNTOLD)
    return f"{MAGIC} {digest_of(text)} {text}".encode()


def configuration(told: bytes) -> SystolicConfig:
    """The configuration of the design that tells ``told``. Raises UnknownDesign."""
    words = told.rstrip(b"\0").split(b" ", 2)
    if words[0] != MAGIC.encode():
        raise UnknownDesign(f"an identity must begin with {MAGIC}, got {told[:16]!r}")
    try:
        _, digest, text = (word.decode() for word in words)
        config = systolic_config(json.loads(text))
    except ValueError as error:
        raise UnknownDesign(f"the identity of the design cannot be read: {error}") from None
    if digest_of(fields_text(config, _UNTOLD)) != digest:
        raise UnknownDesign(f"the design was made by another version: its fields have digest {digest} there")
    return config


def fields_text(config: SystolicConfig, untold: Collection[str]) -> str:
    """The fields of ``config`` that are not the default, but for those ``untold``, as JSON."""
    fields: dict[str, Any] = {}
    for name, field in type(config).model_fields.items():
        value = getattr(config, name)
        if name not in untold and value != field.default:
            fields[name] = value if isinstance(value, (int, str)) else str(value)
    return json.dumps(fields, separators=(",", ":"))


def digest_of(text: str) -> str:
    """The first 32 bits of its SHA-256, as 8 digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]
