"""The far end of a serial port, played by a thread: what a board would be, or something else."""

from __future__ import annotations

import os
import select
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cobs import cobs

from tilewright.fpga.host.link.frames import framed
from tilewright.hdl.link.frame import REPLY, Operation

Answer = Callable[[bytes], bytes]
"""What the far end says to bytes that come."""


@contextmanager
def far_end(answer: Answer | None) -> Iterator[str]:
    """The name of a port whose far end gives ``answer`` to all that comes; None: it reads nothing."""
    far, near = os.openpty()
    tty.setraw(near)
    ended = threading.Event()

    def run() -> None:
        while answer is not None and not ended.is_set():
            if select.select([far], [], [], 0.02)[0]:
                os.write(far, answer(os.read(far, 4096)))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield os.ttyname(near)
    finally:
        ended.set()
        thread.join()
        os.close(far)
        os.close(near)


def silent(_: bytes) -> bytes:
    """Takes everything, says nothing."""
    return b""


def chatting(came: bytes) -> bytes:
    """Says words that are no frames, as a console does."""
    return b"login: " * len(came)


def garbled(came: bytes) -> bytes:
    """Frames with wrong CRCs, as of a wrong rate."""
    return b"\0\x05abcd\0" * came.count(0)


def telling(identity: bytes) -> Answer:
    """A design that answers each frame, the identification with ``identity``."""
    begun = bytearray()

    def answer(came: bytes) -> bytes:
        begun.extend(came)
        said = b""
        while 0 in begun:
            frame, _, rest = bytes(begun).partition(b"\0")
            begun[:] = rest
            if frame:
                sequence, operation = cobs.decode(frame)[:2]
                payload = identity if operation == Operation.IDENTIFY else b""
                said += framed(bytes((sequence, operation | REPLY, 0, len(payload))) + payload)
        return said

    return answer
