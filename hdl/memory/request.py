"""Where an access to a scratchpad starts and which way it runs."""

from __future__ import annotations

from amaranth.lib.wiring import In, Member

from tilewright.hdl.memory.geometry import Geometry


def request_members(geometry: Geometry) -> dict[str, Member]:
    """Ports of one access to ``lanes`` elements that start at element *(i, j)* of a matrix.

    Members
    -------
    address: word of element *(i, j)*
    next_panel: word of element *(i, j + lanes)*; used by the lanes that reach into the next panel (banked only)
    split: ``j mod lanes`` (banked only)
    rotate: ``(i + j) mod lanes``, the bank of the first element (banked only)
    column: the access runs down a column instead of along a row (banked only)
    """
    members: dict[str, Member] = {"address": In(geometry.address_bits)}
    if geometry.banked:
        members |= {"next_panel": In(geometry.address_bits), "column": In(1)}
        if geometry.lane_bits:
            members |= {"split": In(geometry.lane_bits), "rotate": In(geometry.lane_bits)}
    return members
