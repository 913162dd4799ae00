"""Frames and replies of the host, against the published check value and a hand-made frame."""

from __future__ import annotations

import pytest
from cobs import cobs

from tilewright.fpga.host.link.frames import Replies, Reply, request
from tilewright.hdl.link.frame import REPLY, Operation, Status

CHECK = b"123456789", 0x29B1
"""Of CRC-16/IBM-3740 in G. Cook's catalogue."""


def _wire(told: bytes, crc: int) -> bytes:
    return b"\0" + bytes(cobs.encode(told + crc.to_bytes(2, "big"))) + b"\0"


def test_a_frame_by_hand() -> None:
    frame = cobs.decode(request(7, Operation.WRITE, 0, b"\x05\x00").strip(b"\0"))
    assert frame[:-2] == bytes((7, 3, 0, 2, 5, 0))


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_reply_in_two_pieces(cut: int) -> None:
    sent = request(9, Operation.READ, REPLY, b"abc")  # a port of 0x80 stands where a status would
    frame = bytearray(cobs.decode(sent.strip(b"\0")))
    frame[1] |= REPLY
    wire = _wire(bytes(frame[:-2]), _crc(bytes(frame[:-2])))
    replies = Replies()
    assert replies.add(wire[:cut]) + replies.add(wire[cut:]) == [Reply(9, Operation.READ, REPLY, b"abc")]
    assert replies.wrong == 0


def test_the_crc_is_the_published_one() -> None:
    assert _crc(CHECK[0]) == CHECK[1]


@pytest.mark.parametrize("spoilt", range(2, 10))
def test_what_is_spoilt_is_counted_and_what_follows_is_found(spoilt: int) -> None:
    told = bytes((1, Operation.RESET | REPLY, Status.DONE, 0))
    good = _wire(told, _crc(told))
    wrong = bytearray(good)
    wrong[spoilt % (len(good) - 2) + 1] ^= 0x40
    replies = Replies()
    assert replies.add(bytes(wrong) + good) == [Reply(1, Operation.RESET, Status.DONE, b"")]
    assert replies.wrong >= 1


def _crc(data: bytes) -> int:
    """Bit by bit, as the standard writes it."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1
            crc &= 0xFFFF
    return crc
