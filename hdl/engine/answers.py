"""What sequencers tell of the ends of their instructions."""

from __future__ import annotations

from amaranth.hdl import unsigned
from amaranth.lib import data

from tilewright.hdl.engine.records import TOKENS
from tilewright.hdl.structure.enumeration import IntEnum

UNDER_WAY = 8
"""Instructions of a sequencer that have started and not ended, at most; of the load sequencer for each target."""

PENDING = data.StructLayout({"gives": unsigned(TOKENS), "tag": unsigned(8)})
"""What is to be done when an instruction ends."""


class Cause(IntEnum, shape=8):
    """Why a run has failed.

    ``detail`` of a refusal is the core's status, of a bus error AXI's response, of a packet a `PacketFault`.
    """

    NONE = 0
    ILLEGAL_INSTRUCTION = 1
    LOAD_REFUSED = 2
    GEMM_REFUSED = 3
    STORE_REFUSED = 4
    FETCH_ERROR = 5
    READ_ERROR = 6
    WRITE_ERROR = 7
    TOO_MANY_TOKENS = 8
    STUCK = 9
    ABORTED = 10
    PROGRAM_PACKET = 11
    LOAD_PACKET = 12


FAULT = data.StructLayout({"cause": Cause, "detail": unsigned(8), "tag": unsigned(8)})
"""What failed: the first such thing ends the run. ``tag`` is that of the instruction."""
