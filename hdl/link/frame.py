"""What is in a frame of the link."""

from __future__ import annotations

import enum

from amaranth.hdl import unsigned
from amaranth.lib import data

CRC_POLYNOMIAL, CRC_START = 0x1021, 0xFFFF
"""High bit first; the two bytes of the CRC end a frame, high byte first."""
HEADER_BYTES = 4
"""Sequence number, operation, port (of a reply: `Status`), bytes of the payload."""
CRC_BYTES = 2
MOST_PAYLOAD = 247
"""Bytes; with header and CRC they are one block of `CobsEncode`."""


class Fault(enum.IntEnum):
    """Why a frame was not carried out."""

    NONE = 0
    CUT = 1
    """The frame ended within a block, or has fewer bytes than a header and a CRC."""
    LONG = 2
    """It has more bytes than there is room for."""
    CRC = 3
    """Its CRC is not that of its bytes."""
    LENGTH = 4
    """Its payload has not as many bytes as its header tells."""


class Operation(enum.IntEnum):
    """What a host asks for. A reply has the same number, and `REPLY` besides."""

    IDENTIFY = 1
    """The reply's payload is the beginning of what the design tells of itself."""
    RESET = 2
    """Resets everything behind the link."""
    WRITE = 3
    """The payload goes to a port, low byte of a beat first."""
    READ = 4
    """The reply's payload is what a port has given, whole beats, and in its last byte how many bytes these have."""


REPLY = 0x80


class Status(enum.IntEnum):
    """What has become of a frame. The first numbers are those of `Fault`."""

    DONE = 0
    UNKNOWN = 8
    """There is no such operation, or no such port."""
    STALLED = 9
    """The port took less than the payload; what is left of it is gone."""
    LOST = 10
    """Bytes came too fast before this frame, and were dropped."""


HEAD = data.StructLayout(
    {"sequence": unsigned(8), "operation": unsigned(8), "detail": unsigned(8), "length": unsigned(8)}
)
"""A frame, apart from its payload. ``detail``: the port, of a reply the status."""
FRAME = data.StructLayout({"head": HEAD, "fault": unsigned(3)})
"""A frame that has come. With a fault, ``head`` is what came of it, and 0 where nothing did."""
