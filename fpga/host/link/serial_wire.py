"""A serial port as the wire of a link."""

from __future__ import annotations

import errno
import os
import termios
from importlib import import_module
from typing import Any

from tilewright.fpga.host.link.link import LinkError
from tilewright.generators.config.errors import ConfigError

SILENCE = 0.5
"""Seconds without a byte after which no more are waited for."""
PATIENCE = 5.0
"""Seconds that a port has to take what is sent."""
_TAKEN = "another program has it open"
_REFUSED = {
    errno.ENOENT: "no such port; ports that are there: {ports}",
    errno.EACCES: "permission denied; add yourself to the group that owns it (sudo usermod -aG dialout $USER, then log "
    "in again), or give the board a udev rule",
    errno.ENOTTY: "it is no serial port; ports that are there: {ports}",
    errno.EBUSY: _TAKEN,
    errno.EAGAIN: _TAKEN,
}


class SerialWire:
    """A serial port, 8N1, that nobody else has open. See `tilewright.fpga.host.link.wire.Wire`.

    Raises LinkError where the port cannot be opened, ConfigError where pyserial is not installed.
    """

    def __init__(self, port: str, baud: int) -> None:
        try:
            serial = import_module("serial")  # an extra
        except ImportError:
            raise ConfigError(
                "pyserial must be installed to reach a board; nearest legal step is pip install 'tilewright[fpga]'"
            ) from None
        self._name, self._late = port, serial.SerialTimeoutException
        try:
            self._port: Any = serial.Serial(port, baud, timeout=SILENCE, write_timeout=PATIENCE, exclusive=True)
        except (OSError, ValueError) as error:  # pyserial's own errors are of these kinds
            raise LinkError(f"{port} cannot be opened: {_why(error)}") from None

    def send(self, data: bytes) -> None:
        """See `Wire`."""
        self._told(self._port.write, data)

    def receive(self, count: int) -> bytes:
        """See `Wire`."""
        found: bytes = self._told(self._port.read, count)
        return found

    def close(self) -> None:
        """See `Wire`."""
        self._port.close()

    def _told(self, do: Any, what: Any) -> Any:
        try:
            return do(what)
        except self._late:
            raise LinkError(
                f"{self._name} takes nothing: its adapter hangs, or what it leads to holds it back; plug it in anew"
            ) from None
        except OSError as error:
            raise LinkError(f"{self._name} is gone: {error.strerror or error}") from None


def _why(error: OSError | ValueError) -> str:
    from serial.tools import list_ports

    ports = ", ".join(port.device for port in list_ports.comports()) or "none"
    number = getattr(error, "errno", None)
    if number is None and isinstance(error.__context__, termios.error):  # of a port that cannot be set up
        number = error.__context__.args[0]
    known = _REFUSED.get(number or 0)
    if known is None:
        return os.strerror(number) if number else str(error)
    return known.format(ports=ports)
