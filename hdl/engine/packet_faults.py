"""What may be wrong with a packet."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Value

from tilewright.hdl.structure import named
from tilewright.hdl.structure.enumeration import IntEnum


class PacketFault(IntEnum, shape=2):
    """Of the beat at which it was found; of several the first in this order."""

    NONE = 0
    TLAST_EARLY = 1
    TLAST_LATE = 2
    TKEEP = 3


def packet_fault(m: Module, beat: Value, ends: Value, keep: Value) -> Value:
    """What is wrong with ``beat``, which should have ``keep``, and ``last`` where ``ends``; see `PacketFault`."""
    lengths = Mux(ends, PacketFault.TLAST_LATE, PacketFault.TLAST_EARLY)
    found = Mux(beat.last != ends, lengths, Mux(beat.keep != keep, PacketFault.TKEEP, PacketFault.NONE))
    return named(m, found, "packet_fault")
