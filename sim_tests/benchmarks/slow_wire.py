"""A host that takes a millisecond for each byte."""

from __future__ import annotations

from tilewright.sim_tests.simulate.uart_wire import QUIET, UartWire

_MILLISECONDS = 1000  # of a second


class SlowWire:
    """A `Wire` that gives and takes a byte each millisecond.

    Args:
        wire: of the design.
        clock_hz: of the design.
    """

    def __init__(self, wire: UartWire, clock_hz: int) -> None:
        self._wire, self._pause = wire, clock_hz // _MILLISECONDS
        self._came = b""

    def send(self, data: bytes) -> None:
        """See `Wire`."""
        for byte in data:
            self._wire.send(bytes((byte,)))
            self._wait()

    def receive(self, count: int) -> bytes:
        """See `Wire`."""
        if not self._came:
            self._came = self._wire.session.receive(1, QUIET)
        self._wait()
        taken, self._came = self._came[:1], self._came[1:]
        return taken

    def close(self) -> None:
        """See `Wire`."""
        self._wire.close()

    def _wait(self) -> None:
        """Lets a millisecond pass; what comes meanwhile waits, too."""
        self._came += self._wire.session.receive(1 << 16, self._pause)
