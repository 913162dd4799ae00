"""How a driver reaches an engine and its memory: over a simulation, or over a board's link."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray


class Transport(Protocol):
    """An engine's registers, its memory, and its interrupt.

    ``memory_base`` and ``memory_bytes`` say which addresses are the driver's to use. Everything blocks until it is
    done.
    """

    memory_base: int
    memory_bytes: int

    def read_register(self, offset: int) -> int:
        """The 32-bit register at byte ``offset``."""
        ...

    def write_register(self, offset: int, value: int) -> None:
        """Writes the 32-bit register at byte ``offset``."""
        ...

    def read_memory(self, address: int, size: int) -> NDArray[Any]:
        """``size`` bytes from ``address`` on, as uint8."""
        ...

    def write_memory(self, address: int, data: NDArray[Any]) -> None:
        """Writes bytes (uint8) from ``address`` on."""
        ...

    def wait(self) -> None:
        """Waits for the interrupt. Raises TimeoutError where it does not come."""
        ...

    def close(self) -> None:
        """Lets go of the engine."""
        ...
