"""How the array reads and writes C, whatever the memories of C are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Module, Value

from tilewright.hdl.memory import Geometry


@dataclass(frozen=True)
class ArrayAccess:
    """Requests of the array, which are never refused.

    Attributes:
        read, read_region, read_request: a word of C to start from; the request's ports by name.
        came_region: the region of the word that was asked for ``read_latency`` cycles before.
        write, write_region, write_request: a word of sums.
        lanes: those of the word that exist.
        data: the sums.
    """

    read: Value
    read_region: Value
    read_request: Mapping[str, Any]
    came_region: Value
    write: Value
    write_region: Value
    write_request: Mapping[str, Any]
    lanes: Value
    data: Value


ConnectC = Callable[[Module, Any, Geometry, ArrayAccess], Value]
"""Connects memories of C to the array; gives the word that it reads."""
