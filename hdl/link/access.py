"""What a link asks of registers and of a memory: the one definition that hardware and hosts share."""

from __future__ import annotations

from amaranth.hdl import unsigned
from amaranth.lib import data

from tilewright.hdl.structure.enumeration import IntEnum

ADDRESS_BITS = 32
MOST_BEATS = (1 << 16) - 1
"""Beats of an access to a memory."""


class Access(IntEnum, shape=2):
    """What has become of an access. Whatever is not DONE has changed nothing."""

    DONE = 0
    UNALIGNED = 1
    """The address is no multiple of a word, or of a beat."""
    BEYOND = 2
    """There is no such address, or there are fewer beats behind it."""
    REFUSED = 3
    """The register does not exist, or may not be accessed so now."""


REGISTER_REQUEST = data.StructLayout({"data": unsigned(32), "address": unsigned(16), "write": unsigned(1)})
"""Reads the register at a byte address or, with ``write``, writes it."""
REGISTER_ANSWER = data.StructLayout({"data": unsigned(32), "status": Access})
"""What was read, and what has become of it."""
MEMORY_REQUEST = data.StructLayout({"address": unsigned(ADDRESS_BITS), "beats": unsigned(16), "write": unsigned(1)})
"""Reads so many beats from a byte address on or, with ``write``, writes them."""
MEMORY_ANSWER = data.StructLayout({"status": Access})
"""What has become of it."""
