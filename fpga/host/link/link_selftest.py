"""Random frames to a link, right and wrong, and whether each is answered as is documented."""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
from cobs import cobs

from tilewright.fpga.host.link.frames import Reply, checked
from tilewright.fpga.host.link.link import WINDOW, Link
from tilewright.fpga.host.selftest_failed import SelftestFailed
from tilewright.hdl.link.cobs_decode import LONGEST
from tilewright.hdl.link.frame import CRC_BYTES, CRC_START, HEADER_BYTES, MOST_PAYLOAD, REPLY, Fault, Operation, Status
from tilewright.hdl.link.ports import bytes_of

_LEAST, _MOST = HEADER_BYTES + CRC_BYTES, HEADER_BYTES + MOST_PAYLOAD + CRC_BYTES
_WRONG, _RIGHT = ("crc", "cut", "long", "length", "operation", "port", "noise"), ("identify", "nothing", "reset")
_FLOOD, _ROOM = 900, 8
"""Bytes that are more than wait anywhere; times of `PATIENCE` that they take to come, at least."""


def received(encoded: bytes) -> tuple[bytes, bool]:
    """What a design makes of the bytes between two zeros, and whether it calls that whole."""
    found, left, zero_due = bytearray(), 0, False
    for byte in encoded:
        if left:
            found.append(byte)
            left -= 1
            continue
        if zero_due:
            found.append(0)
        left, zero_due = byte - 1, byte != LONGEST
    return bytes(found), left == 0


def fault(told: bytes, whole: bool) -> Fault:
    """What is wrong of a frame that has come."""
    if not whole or len(told) < _LEAST:
        return Fault.CUT
    if len(told) > _MOST:
        return Fault.LONG
    if crc_hqx(told, CRC_START):
        return Fault.CRC
    return Fault.NONE if told[HEADER_BYTES - 1] == len(told) - _LEAST else Fault.LENGTH


class LinkTest:
    """Sends frames that change nothing behind a link, a reset of what is at rest excepted.

    Args:
        link: what is tested.
        inputs, outputs: bits of the beats of its ports.
        identity: what the design told of itself.
        rng: which frames.

    Attributes:
        frames: how many were answered.
    """

    def __init__(
        self, link: Link, inputs: Sequence[int], outputs: Sequence[int], identity: bytes, rng: np.random.Generator
    ) -> None:
        self.link, self.rng, self.frames = link, rng, 0
        self._inputs, self._outputs = [bytes_of(bits) for bits in inputs], [bytes_of(bits) for bits in outputs]
        self._identity = identity.ljust(MOST_PAYLOAD, b"\0")

    def step(self) -> None:
        """One to three frames, one behind the other; one of them is wrong, as a rule."""
        kinds = self.rng.choice((*_WRONG, *_RIGHT), int(self.rng.integers(1, 4)))
        frames = [self._frame(str(kind)) for kind in kinds]
        while sum(map(len, frames)) > WINDOW - 20:
            frames.pop()
        self._answered(frames or [self._frame("cut")])

    def idle(self) -> None:
        """Nothing comes of a port that has nothing."""
        port, length = int(self.rng.integers(len(self._outputs))), int(self.rng.integers(2, 40))
        self._answered([self._encoded(Operation.READ, port, bytes(length))])

    def held(self, port: int, data: bytes) -> None:
        """A port that takes nothing is told, and holds up those that read or write, but no others; a reset ends it."""
        most = MOST_PAYLOAD // self._inputs[port] * self._inputs[port]
        for _ in range(_ROOM):
            encoded = self._encoded(Operation.WRITE, port, (data * most)[:most])
            self.link.wire.send(b"\0" + encoded + b"\0")
            reply, self.frames = self.link.next_reply(0), self.frames + 1
            if reply.status != Status.DONE:
                break
        self._same("a port that takes nothing", reply, self._reply(encoded, Status.STALLED))
        other = (port + 1) % len(self._inputs)
        encoded = self._encoded(Operation.WRITE, other, self.rng.bytes(self._inputs[other]))
        self._answered([encoded], [self._reply(encoded, Status.STALLED)])
        self._answered([self._encoded(Operation.READ, 0, bytes(3)), self._frame("identify"), self._frame("reset")])

    def flood(self) -> None:
        """More bytes than wait anywhere come while frames are carried out; that some are lost is told."""
        encoded, junk = self._encoded(Operation.READ, 0, bytes(2)), b"\1" * _FLOOD
        self.link.wire.send(b"\0" + (encoded + b"\0") * _ROOM + junk)
        lost, reply = 0, self._expected(encoded)
        for _ in range(_ROOM):
            found, self.frames = self.link.next_reply(len(reply.payload)), self.frames + 1
            lost += found.status == Status.LOST
            self._same("one of many frames", found, reply._replace(status=found.status and Status.LOST))
        if not lost:
            raise SelftestFailed(f"{_FLOOD} bytes came while nothing took them, and no answer tells that some are lost")
        self._answered([b"", self._frame("identify")], [self._reply(junk, Fault.LONG), None])

    def _answered(self, frames: Sequence[bytes], expected: Sequence[Reply | None] = ()) -> None:
        """Sends frames, and compares their replies with those expected; with what is documented where none is told."""
        zeros = [bytes(int(self.rng.integers(1, 4))) for _ in frames]
        self.link.wire.send(b"\0" + b"".join(each for pair in zip(frames, zeros, strict=True) for each in pair))
        for encoded, told in zip_longest(frames, expected):
            reply = told or self._expected(encoded)
            found = self.link.next_reply(len(reply.payload))
            self.frames += 1
            self._same(f"the frame {encoded.hex()}", found, reply)

    @staticmethod
    def _same(what: str, found: Reply, expected: Reply) -> None:
        wrong = [
            f"{name} {_shown(getattr(found, name))}, expected {_shown(getattr(expected, name))}"
            for name in Reply._fields
            if getattr(found, name) != getattr(expected, name)
        ]
        if wrong:
            raise SelftestFailed(f"{what} was answered with {', '.join(wrong)}")

    def _reply(self, encoded: bytes, status: int, payload: bytes = b"") -> Reply:
        head = received(encoded)[0].ljust(HEADER_BYTES, b"\0")
        return Reply(head[0], head[1] & ~REPLY, int(status), payload)

    def _expected(self, encoded: bytes) -> Reply:
        told, whole = received(encoded)
        found = fault(told, whole)
        if found:
            return self._reply(encoded, found)
        operation, port, length = told[1], told[2], told[3]
        if operation == Operation.IDENTIFY:
            return self._reply(encoded, Status.DONE, self._identity[:length])
        if operation == Operation.READ and port < len(self._outputs):
            return self._reply(encoded, Status.DONE, bytes(length))
        known = operation == Operation.RESET or (operation == Operation.WRITE and port < len(self._inputs))
        return self._reply(encoded, Status.DONE if known else Status.UNKNOWN)

    def _frame(self, kind: str) -> bytes:
        """A frame of a kind, without the zeros around it."""
        rng = self.rng
        payload = rng.bytes(int(rng.integers(1, 12)))
        told = self._told(Operation.IDENTIFY, int(rng.integers(256)), payload)
        if kind == "crc":
            bit = int(rng.integers(8 * len(told)))
            wrong = int.from_bytes(told, "big") ^ 1 << bit
            return _stuffed(wrong.to_bytes(len(told), "big"))
        if kind == "cut":
            encoded = _stuffed(told)
            return encoded[: int(rng.integers(1, len(encoded)))]
        if kind == "long":
            return self._encoded(Operation.IDENTIFY, 0, rng.bytes(int(rng.integers(MOST_PAYLOAD + 1, 300))))
        if kind == "length":
            return self._encoded(Operation.IDENTIFY, 0, payload, len(payload) ^ 1 << int(rng.integers(8)))
        if kind == "operation":
            known = list(Operation)
            operation = int(rng.choice([each for each in range(256) if each not in known]))
            near = int(rng.choice(known)) ^ 1 << int(rng.integers(3, 8))
            return self._encoded(near if rng.random() < 0.5 else operation, 0, payload)
        if kind == "port":
            write = bool(rng.integers(2))
            ports = len(self._inputs) if write else len(self._outputs)
            port = int(rng.choice((ports, 255, int(rng.integers(ports)) | 1 << int(rng.integers(4, 8)))))
            return self._encoded(Operation.WRITE if write else Operation.READ, port, payload)
        if kind == "noise":
            return bytes(rng.integers(1, 256, int(rng.integers(1, 30)), dtype=np.uint8))
        return self._harmless(kind, payload)

    def _harmless(self, kind: str, payload: bytes) -> bytes:
        """A frame that is right."""
        rng = self.rng
        if kind == "identify":
            length = int(rng.choice((0, 1, 2, MOST_PAYLOAD, int(rng.integers(3, 30))), p=(0.15, 0.15, 0.2, 0.1, 0.4)))
            return self._encoded(Operation.IDENTIFY, int(rng.integers(256)), rng.bytes(length))
        if kind == "reset":
            return self._encoded(Operation.RESET, int(rng.integers(256)), payload if rng.random() < 0.5 else b"")
        if rng.random() < 0.5:
            return self._encoded(Operation.READ, int(rng.integers(len(self._outputs))), bytes(int(rng.integers(2))))
        port = int(rng.integers(len(self._inputs)))
        return self._encoded(Operation.WRITE, port, rng.bytes(int(rng.integers(self._inputs[port]))))

    def _encoded(self, operation: int, port: int, payload: bytes, length: int | None = None) -> bytes:
        return _stuffed(self._told(operation, port, payload, length))

    def _told(self, operation: int, port: int, payload: bytes, length: int | None = None) -> bytes:
        told = bytes(
            (int(self.rng.integers(256)), operation, port, (len(payload) if length is None else length) & 0xFF)
        )
        return checked(told + payload)


def _stuffed(told: bytes) -> bytes:
    encoded: bytes = cobs.encode(told)
    return encoded


def _shown(value: int | bytes) -> str:
    return value.hex() or "nothing" if isinstance(value, bytes) else str(value)
