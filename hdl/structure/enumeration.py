"""Enumerations of a given shape, whose values keep their names down to the emitted Verilog."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # Amaranth's has no type annotations
    import enum

    class IntEnum(enum.IntEnum):
        """A standard enumeration."""

        def __init_subclass__(cls, *, shape: int) -> None: ...

else:
    from amaranth.lib.enum import IntEnum

__all__ = ["IntEnum"]
