"""What a line does to the link of a board, and whether a good frame is answered after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tilewright.fpga.host.link.core_driver import CoreDriver
from tilewright.fpga.host.link.frames import Replies, Reply, framed, request
from tilewright.fpga.host.link.link import Link
from tilewright.hdl.link.frame import MOST_PAYLOAD, Operation, Status
from tilewright.sim_tests.benchmarks.slow_wire import SlowWire
from tilewright.sim_tests.harness.uart_session import UartSession
from tilewright.sim_tests.simulate.uart_wire import UartWire

_QUIET = 400_000  # cycles in which a reply has come
_FIRST, _SEQUENCES = 100, 100  # of good frames: those of disturbances have numbers of their own

Trial = Callable[[], None]


@dataclass(frozen=True)
class Answered:
    """What was found after ``trials`` disturbances: ``good`` frames answered, ``taken`` wrong ones carried out."""

    trials: int
    good: int
    taken: int


class LinkFaults:
    """A core behind a UART in simulation, whose line is disturbed. Nothing is reset by hand.

    Args:
        wire: to the core.
        divisor: cycles of a bit.
        clock_hz: of the board.
        seed: of bytes and places.
    """

    def __init__(self, wire: UartWire, divisor: int, clock_hz: int, seed: int) -> None:
        self.session: UartSession = wire.session
        self._divisor = divisor
        self._random = np.random.default_rng(seed)
        self._core = CoreDriver(Link(wire))
        self._slow = CoreDriver(Link(SlowWire(wire, clock_hz)))
        self._told = Link(wire).identify()
        self._sequence = 0

    def answered(self, trials: Iterator[Trial]) -> Answered:
        """Sends a good frame of random bytes right behind each of ``trials``, and looks at all that comes."""
        count = good = taken = 0
        for trial in trials:
            trial()
            count += 1
            self._sequence = (self._sequence + 1) % _SEQUENCES
            mine, payload = (_FIRST + self._sequence, Operation.IDENTIFY), self._payload()
            frame = request(*mine, payload=payload)
            self.session.send(frame)
            for reply in self._replies(len(frame)):
                if (
                    reply.sequence,
                    reply.operation,
                ) == mine:  # replies come in order: none of a disturbance is after it
                    good += self._is_right(reply, len(payload))
                    break
                taken += reply.status == Status.DONE
        return Answered(count, good, taken)

    def product_is_right(self, *, slowly: bool = False) -> bool:
        """Whether nothing is left of what was: a product after it is right."""
        a, b = (self._random.integers(-128, 128, (5, 5)) for _ in range(2))
        core = self._slow if slowly else self._core
        return np.array_equal(core.product(a, b), a @ b)

    def noise(self, count: int, each: int) -> Iterator[Trial]:
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
        """Frames of 20 bytes of payload that are right but for the length that they tell."""
        for length in range(256):
            if length != 20:
                frame = framed(bytes((1, Operation.WRITE, 0, length)) + self._random.bytes(20))
                yield lambda sent=frame: self.session.send(sent)  # type: ignore[misc]

    def breaks(self) -> Iterator[Trial]:
        """The line at 0 for one to 400 bits."""
        return (lambda bits=bits: self.session.hold(bits * self._divisor) for bits in range(1, 401, 7))  # type: ignore[misc]

    def pace(self, off: float) -> Iterator[Trial]:
        """The bits of the good frames are longer by a part ``off``, without a pause between their bytes."""
        for _ in range(50):
            yield lambda: self.session.pace((1 + off) * self._divisor)
        self.session.pace(self._divisor)

    def without_waiting(self, frames: int) -> int:
        """Replies to so many frames that are sent before any reply is read."""
        sizes = [len(self._payload()) for _ in range(frames)]
        for sequence, size in enumerate(sizes):
            self.session.send(request(sequence & 0xFF, Operation.IDENTIFY, 0, self._random.bytes(size)))
        found = 0
        for reply in self._replies(1 << 16):
            found += reply.sequence == found & 0xFF and self._is_right(reply, sizes[found])
        return found

    def _payload(self) -> bytes:
        return self._random.bytes(int(self._random.integers(0, MOST_PAYLOAD + 1)))

    def _replies(self, size: int) -> Iterator[Reply]:
        """All that come until the line is quiet; looked at whenever ``size`` bytes have come, or no more come."""
        replies = Replies()
        while data := self.session.receive(size, _QUIET):
            yield from replies.add(data)

    def _is_right(self, reply: Reply, size: int) -> bool:
        """Whether it is the answer to an IDENTIFY of ``size`` bytes: as many, of what the design tells, then zeros."""
        told = self._told[:size].ljust(size, b"\0")
        return reply.status == Status.DONE and reply.payload == told
