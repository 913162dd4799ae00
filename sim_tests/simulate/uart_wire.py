"""The UART of a simulated design as a wire of the host's link."""

from __future__ import annotations

from tilewright.fpga.tops.linked_core import PATIENCE
from tilewright.sim_tests.harness.uart_session import UartSession

QUIET = 4 * PATIENCE
"""Cycles without a byte after which no more are waited for."""


class UartWire:
    """See `tilewright.fpga.host.link.wire.Wire`."""

    def __init__(self, session: UartSession) -> None:
        self.session = session

    def send(self, data: bytes) -> None:
        """See `Wire`."""
        self.session.send(data)

    def receive(self, count: int) -> bytes:
        """See `Wire`."""
        return self.session.receive(count, QUIET)

    def close(self) -> None:
        """See `Wire`."""
        self.session.close()
