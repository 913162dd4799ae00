"""Tilings that a user asks for."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from tilewright.fpga.host.checked import one_of, plain, whole
from tilewright.generators.config.errors import ConfigError, must_be, shown
from tilewright.generators.program.plan import OBJECTIVES, Objective
from tilewright.generators.program.tiling import Tiling

_LARGEST = (1 << 31) - 1
_NAMES = {"dataflow": ("ws", "os", "is"), "order": ("mn", "nm")}


def tiling_of(value: Any) -> Tiling | Objective:
    """A `Tiling` whose fields are of their types, or an objective of the planner. Raises ConfigError."""
    if isinstance(value, Tiling):
        return Tiling(
            **{field.name: _field(field.name, field.type, getattr(value, field.name)) for field in fields(value)}
        )
    for objective in OBJECTIVES:
        if isinstance(value, str) and value == objective:
            return objective
    raise ConfigError(
        f"tiling must be a Tiling, 'cycles' or 'bytes', got {shown(value)}; nearest legal value is 'cycles'"
    )


def _field(name: str, kind: Any, value: Any) -> Any:
    if name in _NAMES:
        return one_of(f"tiling.{name}", value, _NAMES[name])
    if kind == "bool":
        if not isinstance(plain(value), bool):
            raise ConfigError(must_be(f"tiling.{name}", "True or False", value, False))
        return bool(value)
    return whole(f"tiling.{name}", value, -_LARGEST, _LARGEST)
