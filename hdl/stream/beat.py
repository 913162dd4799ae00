"""Payloads: beats of packets, and how a payload shows in a block's name."""

from __future__ import annotations

from amaranth.hdl import Shape, ShapeLike, unsigned
from amaranth.lib import data


def beat_layout(lanes: int, width: int) -> data.StructLayout:
    """A beat of a packet: ``lanes`` elements of ``width`` bits, one ``keep`` bit for each, ``last`` ends the packet.

    Kept elements are contiguous from lane 0, and there is at least one; the others are undefined.
    """
    for field, value in (("lanes", lanes), ("width", width)):
        if value < 1:
            raise ValueError(f"{field} must be at least 1, got {value}")
    return data.StructLayout({"data": unsigned(lanes * width), "keep": unsigned(lanes), "last": unsigned(1)})


def payload_name(shape: ShapeLike) -> str:
    """What stands for a payload of ``shape`` in the name of a block: its width, ``s`` before it when signed."""
    bits = Shape.cast(shape)
    if bits.width < 1:
        raise ValueError(f"payload must be at least 1 bit wide, got {bits.width}")
    return f"{'s' if bits.signed else ''}{bits.width}"


def field_offset(shape: ShapeLike, field: str) -> int | None:
    """Lowest bit of ``field`` in a payload of ``shape``; None where the payload has no such field."""
    return shape[field].offset if isinstance(shape, data.StructLayout) and field in shape.members else None
