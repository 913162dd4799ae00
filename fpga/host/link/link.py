"""The link of a design: its identity, a reset, and the ports behind it."""

from __future__ import annotations

from collections.abc import Iterable

from tilewright.fpga.host.link.frames import Replies, Reply, request
from tilewright.fpga.host.link.wire import Wire
from tilewright.hdl.link.frame import MOST_PAYLOAD, Fault, Operation, Status

WINDOW = 400
"""Bytes of frames that are on their way without a reply; the design has room for 512."""
_REPLY_BYTES = 9  # of a reply without payload: two zeros, a code, the header, the CRC
_WITHOUT_PAYLOAD = (Operation.WRITE, Operation.RESET)


class LinkError(OSError):
    """The link does not work; the message says which part of it is silent, or what the design refused."""


class Link:
    """Frames to a design and its replies, several of them on their way at a time.

    Args:
        wire: what carries the bytes; closed with the link.
        tries: how often the design is asked who it is before it is given up.
    """

    def __init__(self, wire: Wire, *, tries: int = 3) -> None:
        self.wire, self._tries = wire, tries
        self._replies = Replies()
        self._came: list[Reply] = []
        self._sequence = 0

    def close(self) -> None:
        """Closes the wire."""
        self.wire.close()

    def identify(self) -> bytes:
        """What the design tells of itself. Raises LinkError where nobody answers."""
        tries = self._tries
        while True:
            tries -= 1
            # A zero ends whatever a program before has left on the wire.
            self.wire.send(b"\0")
            try:
                return self._exchange([(Operation.IDENTIFY, 0, bytes(MOST_PAYLOAD))])[0].payload
            except LinkError:
                if tries <= 0:
                    raise

    def reset(self) -> None:
        """Resets everything behind the link."""
        self._exchange([(Operation.RESET, 0, b"")])

    def write(self, port: int, data: bytes, beat: int) -> None:
        """Beats of ``beat`` bytes to a port."""
        most = MOST_PAYLOAD // beat * beat
        self._exchange((Operation.WRITE, port, data[at : at + most]) for at in range(0, len(data), most))

    def read(self, port: int, beats: int, beat: int) -> bytes:
        """So many beats of ``beat`` bytes from a port. Raises LinkError where it has fewer."""
        found = self.read_some(port, beats, beat)
        if len(found) < beats * beat:
            raise LinkError(f"port {port} of the design gave {len(found)} bytes of {beats * beat}")
        return found

    def read_some(self, port: int, beats: int, beat: int) -> bytes:
        """Likewise; what there is where the port has fewer, and gives none for a while."""
        most = (MOST_PAYLOAD - 1) // beat
        counts = [min(most, beats - at) for at in range(0, beats, most)]
        replies = self._exchange((Operation.READ, port, bytes(count * beat + 1)) for count in counts)
        return b"".join(reply.payload[: reply.payload[-1]] for reply in replies)

    def next_reply(self, size: int) -> Reply:
        """The next reply, whatever it is; as a rule with ``size`` bytes of payload. Raises LinkError where none is."""
        while not self._came:
            data = self.wire.receive(size + _REPLY_BYTES)
            if not data:
                raise LinkError("the design does not answer a frame")
            self._came += self._replies.add(data)
        return self._came.pop(0)

    def _exchange(self, asked: Iterable[tuple[Operation, int, bytes]]) -> list[Reply]:
        """Sends frames and gathers their replies, in order."""
        waiting: list[tuple[int, Operation, int, int]] = []
        found: list[Reply] = []
        for operation, port, payload in asked:
            frame = request(self._sequence, operation, port, payload)
            while waiting and sum(size for *_, size in waiting) + len(frame) > WINDOW:
                found.append(self._next(*waiting.pop(0)))
            self.wire.send(frame)
            waiting.append((self._sequence, operation, port, len(frame)))
            self._sequence = (self._sequence + 1) & 0xFF
        return found + [self._next(*each) for each in waiting]

    def _next(self, sequence: int, operation: Operation, port: int, size: int) -> Reply:
        """The reply to a frame of ``size`` bytes."""
        reply = self._arriving(sequence, operation, _REPLY_BYTES if operation in _WITHOUT_PAYLOAD else size)
        if reply.status != Status.DONE:
            raise LinkError(f"the design refused to {operation.name} port {port}: {_told(reply.status)}")
        return reply

    def _arriving(self, sequence: int, operation: Operation, size: int) -> Reply:
        """The reply to a frame; as a rule it has ``size`` bytes, and all before it has come."""
        wrong, silent = self._replies.wrong, True
        while True:
            while self._came:
                reply = self._came.pop(0)
                if (reply.sequence, reply.operation) == (sequence, operation):
                    return reply
            data = self.wire.receive(max(1, size))
            if not data:
                raise LinkError(_silence(silent, self._replies.wrong - wrong))
            silent, size = False, size - len(data)
            self._came += self._replies.add(data)


def _silence(silent: bool, wrong: int) -> str:
    if silent:
        return (
            "the design does not answer: is the bitstream loaded, are rx and tx at the right pins, is the rate right?"
        )
    if wrong:
        return f"the design answers, but {wrong} of its frames have a wrong CRC: is the rate right?"
    return "what answers does not speak the protocol of this link: is this the right port?"


def _told(status: int) -> str:
    for kind in (Status, Fault):
        if status in list(kind):
            return str(kind(status).name)
    return f"status {status}"
