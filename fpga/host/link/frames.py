"""Frames of the link as bytes on a wire, and replies out of them."""

from __future__ import annotations

from binascii import crc_hqx
from typing import NamedTuple

from cobs import cobs

from tilewright.hdl.link.frame import CRC_BYTES, CRC_START, HEADER_BYTES, REPLY, Operation


class Reply(NamedTuple):
    """A reply that has come whole. ``status``: a `Status`, or the number of a `Fault`."""

    sequence: int
    operation: int
    status: int
    payload: bytes


def request(sequence: int, operation: Operation, port: int = 0, payload: bytes = b"") -> bytes:
    """A frame with the zeros around it; see `tilewright.hdl.link.frame`."""
    return framed(bytes((sequence & 0xFF, operation, port, len(payload))) + payload)


def framed(told: bytes) -> bytes:
    """Header and payload, right or not, with their CRC as a frame, and the zeros around it."""
    encoded: bytes = cobs.encode(checked(told))
    return b"\0" + encoded + b"\0"


def checked(told: bytes) -> bytes:
    """Header and payload, right or not, and their CRC."""
    return told + crc_hqx(told, CRC_START).to_bytes(CRC_BYTES, "big")


class Replies:
    """Collects bytes; what is no reply is counted and passed over.

    Attributes:
        wrong: frames that were none, or had a wrong CRC.
    """

    def __init__(self) -> None:
        self.wrong = 0
        self._begun = b""

    def add(self, data: bytes) -> list[Reply]:
        """The replies that end in ``data``."""
        *ended, self._begun = (self._begun + data).split(b"\0")
        found = [self._decoded(frame) for frame in ended if frame]
        self.wrong += found.count(None)
        return [reply for reply in found if reply is not None]

    @staticmethod
    def _decoded(wire: bytes) -> Reply | None:
        try:
            frame = cobs.decode(wire)
        except cobs.DecodeError:
            return None
        length = len(frame) - HEADER_BYTES - CRC_BYTES
        if length < 0 or crc_hqx(frame, CRC_START) or frame[3] != length or not frame[1] & REPLY:
            return None
        return Reply(frame[0], frame[1] & ~REPLY, frame[2], bytes(frame[HEADER_BYTES : HEADER_BYTES + length]))
