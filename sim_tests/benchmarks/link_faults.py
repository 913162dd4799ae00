"""What a line does to the link of a board, and whether a good frame is answered after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tilewright.fpga.host.link.core_driver import CoreDriver
from tilewright.fpga.host.link.frames import Replies, framed, request
from tilewright.fpga.host.link.link import Link, LinkError
from tilewright.hdl.link.frame import MOST_PAYLOAD, Operation
from tilewright.sim_tests.harness.uart_session import UartSession
from tilewright.sim_tests.simulate.uart_wire import UartWire

MILLISECOND = 1000  # of them in a second
_QUIET = 100_000  # cycles in which a reply has come

Trial = Callable[[], None]


class LinkFaults:
    """A core behind a UART in simulation, whose line is disturbed.

    Args:
        wire: to the core.
        divisor: cycles of a bit.
        clock_hz: of the board.
        seed: of bytes and places.
    """

    def __init__(self, wire: UartWire, divisor: int, clock_hz: int, seed: int) -> None:
        self.session: UartSession = wire.session
        self._divisor, self._clock_hz = divisor, clock_hz
        self._random = np.random.default_rng(seed)
        self._link = Link(wire, tries=1)
        self._core = CoreDriver(self._link)
        self._told = self._link.identify()

    def answered(self, trials: Iterator[Trial]) -> tuple[int, int]:
        """How many trials there were, and after how many of them a good frame was answered rightly."""
        count = good = 0
        for trial in trials:
            trial()
            count += 1
            try:
                good += self._link.identify() == self._told
            except LinkError:
                continue
        return count, good

    def product_is_right(self) -> bool:
        """Whether nothing is left of what was: a product after it is right."""
        a, b = (self._random.integers(-128, 128, (5, 5)) for _ in range(2))
        return np.array_equal(self._core.product(a, b), a @ b)

    def noise(self, count: int, each: int = 100) -> Iterator[Trial]:
        """Random bytes, ``count`` in all."""
        return (lambda: self.session.send(self._random.bytes(each)) for _ in range(count // each))

    def truncated(self) -> Iterator[Trial]:
        """Frames that end after each of their bytes but the last one of the CRC."""
        frame = request(1, Operation.WRITE, 0, self._random.bytes(60))
        return (lambda at=at: self.session.send(frame[:at]) for at in range(len(frame) - 1))  # type: ignore[misc]

    def flipped(self) -> Iterator[Trial]:
        """Frames with a wrong bit at each of their places."""
        frame = request(1, Operation.WRITE, 0, self._random.bytes(20))
        for at in range(8, 8 * len(frame) - 8):
            wrong = bytearray(frame)
            wrong[at // 8] ^= 1 << at % 8
            yield lambda sent=bytes(wrong): self.session.send(sent)  # type: ignore[misc]

    def wrong_length(self) -> Iterator[Trial]:
        """Frames that are right but for the length that they tell."""
        for length in (*range(0, MOST_PAYLOAD + 1, 13), 255):
            yield lambda told=length: self.session.send(_of_length(told))  # type: ignore[misc]

    def breaks(self) -> Iterator[Trial]:
        """The line at 0 for one to 400 bits."""
        return (lambda bits=bits: self.session.hold(bits * self._divisor) for bits in range(1, 401, 7))  # type: ignore[misc]

    def pace(self, off: float) -> Iterator[Trial]:
        """Frames whose bits are longer by a part ``off``; the good one comes at that pace, too."""
        for _ in range(20):
            yield lambda: self.session.pace((1 + off) * self._divisor)
        self.session.pace(self._divisor)

    def slow_bytes(self) -> Iterator[Trial]:
        """Frames of which a byte comes each millisecond."""
        for sequence in range(20):
            yield lambda sequence=sequence: self._slowly(request(sequence, Operation.IDENTIFY, 0, bytes(20)))  # type: ignore[misc]

    def without_waiting(self, frames: int) -> int:
        """Replies to so many frames that are sent before any reply is read."""
        for sequence in range(frames):
            self.session.send(request(sequence & 0xFF, Operation.IDENTIFY, 0, bytes(sequence % 200)))
        found, replies = 0, Replies()
        while data := self.session.receive(1 << 16, _QUIET):
            for reply in replies.add(data):
                right = reply.sequence == found & 0xFF and reply.payload == self._told[: len(reply.payload)]
                found += right and len(reply.payload) == found % 200
        return found

    def _slowly(self, frame: bytes) -> None:
        for byte in frame:
            self.session.send(bytes((byte,)))
            self.session.receive(1 << 16, self._clock_hz // MILLISECOND)


def _of_length(told: int) -> bytes:
    """A frame of 20 bytes of payload with a right CRC that tells another length."""
    return framed(bytes((1, Operation.WRITE, 0, told)) + bytes(20))
