"""Packets as beats, and orders of matrices that lie in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tilewright.hdl.engine.port import ValuePort

Matrix = list[list[int]]  # codes, row by row


def order(rows: int, cols: int, port: ValuePort, stream: int, tag: int) -> dict[str, Any]:
    """An order; where its tensor lies in memory is noise that must not matter."""
    noise = {"address": 0x123, "line_start": tag, "out_x_start": 7}
    element = port.container.bit_length() - 1
    return {"box": {"rows": rows, "cols": cols, **noise}, "element": element, "stream": stream, "tag": tag % 256}


def random_matrix(rng: np.random.Generator, rows: int, cols: int, width: int) -> Matrix:
    """Random codes."""
    return [[int.from_bytes(rng.bytes(8), "little") >> 64 - width for _ in range(cols)] for _ in range(rows)]


def packed(matrix: Matrix, port: ValuePort) -> bytes:
    """The bytes of a packet; signed codes fill their containers with their sign."""
    found = b""
    for code in (code for row in matrix for code in row):
        value = code - (code >> port.width - 1 << port.width if port.signed else 0)
        found += (value & ((1 << 8 * port.container) - 1)).to_bytes(port.container, "little")
    return found


def packet(data: bytes, bus_bytes: int) -> list[dict[str, int]]:
    """The beats of a packet; bytes that are not kept are ones."""
    found = []
    for at in range(0, len(data), bus_bytes):
        part = data[at : at + bus_bytes]
        word = part + b"\xff" * (bus_bytes - len(part))
        keep = (1 << len(part)) - 1
        found.append({"data": int.from_bytes(word, "little"), "keep": keep, "last": int(at + bus_bytes >= len(data))})
    return found


def unpacked(beats: Iterable[Any], bus_bytes: int) -> list[bytes]:
    """The bytes of each packet; fails where a beat breaks a rule of packets."""
    found, current = [], b""
    for beat in beats:
        keep = int(beat.keep)
        assert keep and not keep & (keep + 1), "kept bytes must be low and contiguous"
        assert beat.last or keep == (1 << bus_bytes) - 1, "beats before the last one must be full"
        current += int(beat.data).to_bytes(bus_bytes, "little")[: keep.bit_length()]
        if beat.last:
            found.append(current)
            current = b""
    assert not current, "a packet must end"
    return found


def sizes(rng: np.random.Generator, edges: Sequence[int]) -> int:
    """A size at an edge, or any."""
    return int(rng.choice((1, 2, 3, 7, *edges, int(rng.integers(1, 40)))))
