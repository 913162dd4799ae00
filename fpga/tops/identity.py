"""What a design on a board tells of itself, so that a host knows what it talks to."""

from __future__ import annotations

import hashlib
import json
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
    text = _text(config)
    return f"{MAGIC} {_digest(text)} {text}".encode()


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
    if _digest(_text(config)) != digest:
        raise UnknownDesign(f"the design was made by another version: its fields have digest {digest} there")
    return config


def _text(config: SystolicConfig) -> str:
    fields: dict[str, Any] = {}
    for name, field in type(config).model_fields.items():
        value = getattr(config, name)
        if name not in _UNTOLD and value != field.default:
            fields[name] = value if isinstance(value, (int, str)) else str(value)
    return json.dumps(fields, separators=(",", ":"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
