"""What carries bytes between a host and a design."""

from __future__ import annotations

from typing import Protocol


class Wire(Protocol):
    """Bytes there and back: a serial port, or the UART of a simulation."""

    def send(self, data: bytes) -> None:
        """Sends bytes; they may be on their way when this returns."""
        ...

    def receive(self, count: int) -> bytes:
        """What has come, at most once ``count`` bytes have; fewer, or none, where no more come for a while."""
        ...

    def close(self) -> None:
        """Lets go of it."""
        ...
