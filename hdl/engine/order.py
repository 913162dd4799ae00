"""What movers between memory and streams are told (orders), and the pieces of memory that an order comes to (runs)."""

from __future__ import annotations

from amaranth.hdl import unsigned
from amaranth.lib import data

from tilewright.hdl.engine.records import BOX, TENSOR

TAG_BITS = 8
STREAM_BITS = 3
RUN_BYTES_BITS = 20  # at most 65,535 columns of 8 bytes

_WALK_BOX = (
    "rows",
    "cols",
    "line_start",
    "tap_x_start",
    "out_x_start",
    "out_y_start",
    "out_x_offset",
    "tap_x_offset",
    "tap_y_offset",
    "x_row",
    "x_column",
    "y_row",
    "y_column",
)
"""Fields of BOX that say which part of a tensor is moved; ``address`` is one more."""

_WALK_TENSOR = tuple(field for field in TENSOR.members if field not in ("head", "slot"))

_COMMON = {"stream": unsigned(STREAM_BITS), "element": unsigned(2), "tag": unsigned(TAG_BITS)}


def order_layout(address_bits: int) -> data.StructLayout:
    """A matrix to be moved: the fields of BOX and TENSOR that say where it lies, and what comes with them.

    ``stream`` is the destination or source, by its place in the mover's list; ``element`` the binary logarithm of the
    bytes of a value in memory; ``tag`` comes back with errors and answers. BOX and TENSOR mean what
    `tilewright.hdl.engine.records` says, with these limits: ``line``, and the counts of the loops that are walked,
    are at least 1, ``line_start`` and the other starting places are within their loops, and places in the picture are
    -2**19..2**19-1. Offsets, strides and the address count modulo 2**``address_bits``.
    """
    box = {"address": unsigned(address_bits)} | {field: BOX.members[field] for field in _WALK_BOX}
    tensor = {field: TENSOR.members[field] for field in _WALK_TENSOR}
    return data.StructLayout({"box": data.StructLayout(box), "tensor": data.StructLayout(tensor), **_COMMON})


def run_layout(address_bits: int) -> data.StructLayout:
    """``bytes`` bytes that follow each other in memory from ``address``, and in a row of the order's matrix.

    ``inside``: they exist; else nothing is there, and ``fill`` stands for each value. ``row_end``: they end a row.
    ``last``: they end the order. An order without rows or columns is one run of 0 bytes, not ``inside``, with
    ``row_end`` and ``last``; no other run is empty.
    """
    return data.StructLayout(
        {
            "address": unsigned(address_bits),
            "bytes": unsigned(RUN_BYTES_BITS),
            "inside": unsigned(1),
            "row_end": unsigned(1),
            "last": unsigned(1),
            "fill": unsigned(16),
            **_COMMON,
        }
    )
