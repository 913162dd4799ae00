"""A transport that tells for how long its engine has run."""

from __future__ import annotations

import time
from typing import Any

from numpy.typing import NDArray

from tilewright.fpga.host.transport import Transport


class TimedTransport:
    """``inner``, whose waits are timed: ``seconds`` of wall time in which the engine ran."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner
        self.memory_base, self.memory_bytes = inner.memory_base, inner.memory_bytes
        self.seconds = 0.0

    def read_register(self, offset: int) -> int:
        """See `Transport`."""
        return self.inner.read_register(offset)

    def write_register(self, offset: int, value: int) -> None:
        """See `Transport`."""
        self.inner.write_register(offset, value)

    def read_memory(self, address: int, size: int) -> NDArray[Any]:
        """See `Transport`."""
        return self.inner.read_memory(address, size)

    def write_memory(self, address: int, data: NDArray[Any]) -> None:
        """See `Transport`."""
        self.inner.write_memory(address, data)

    def wait(self) -> None:
        """See `Transport`."""
        begun = time.monotonic()
        self.inner.wait()
        self.seconds += time.monotonic() - begun

    def close(self) -> None:
        """See `Transport`."""
        self.inner.close()
