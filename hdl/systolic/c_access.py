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
        wants, continues: a word to start from is wanted, of C or else zero.
        read_region, read_request: where it is; the request's ports by name.
        came_region, came_continues: the same of the word that was wanted ``read_latency`` cycles before.
        write, write_region, write_request: a word of sums.
        lanes: those of the word that exist.
        data: the sums.
    """

    wants: Value
    continues: Value
    read_region: Value
    read_request: Mapping[str, Any]
    came_region: Value
    came_continues: Value
    write: Value
    write_region: Value
    write_request: Mapping[str, Any]
    lanes: Value
    data: Value


ConnectC = Callable[[Module, Any, Geometry, ArrayAccess], tuple[Value, Value]]
"""Connects memories of C to the array; gives the word that it reads, and whether that counts, or else zero."""
