"""Places in an engine's memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tilewright.generators.config.errors import ConfigError

ALIGNMENT = 64
"""Bytes: a program must be aligned so, and a tensor so aligned starts on a beat of any port."""


class NoRoom(ConfigError):
    """Something that is larger than the memory that is left."""


class MemoryMap:
    """Gives out places from the lower end of a memory, to keep, and above them for one job after the other."""

    def __init__(self, base: int, size: int) -> None:
        self.end = base + size
        self._kept = self._next = -(-base // ALIGNMENT) * ALIGNMENT

    def keep(self, name: str, size: int) -> int:
        """Address of ``size`` bytes for ``name``, to keep. Ends the job, whose places are free again."""
        self._next = self._kept
        address = self.take(name, size)
        self._kept = self._next
        return address

    @property
    def left(self) -> int:
        """Bytes that this job may still take."""
        return max(0, self.end - self._next)

    @contextmanager
    def passing(self) -> Iterator[None]:
        """What is taken in the ``with`` block is free again after it."""
        before = self.mark()
        try:
            yield
        finally:
            self.back_to(before)

    def mark(self) -> int:
        """For `back_to`."""
        return self._next

    def back_to(self, mark: int) -> None:
        """What was taken since ``mark`` is free again."""
        self._next = mark

    def take(self, name: str, size: int) -> int:
        """The same for this job. Raises NoRoom where there are no longer so many bytes."""
        address = self._next
        if address + size > self.end:
            raise NoRoom(f"{name} must fit into the memory that is left, {self.left} bytes, got {size}")
        self._next = -(-(address + size) // ALIGNMENT) * ALIGNMENT
        return address

    def begin(self) -> None:
        """A new job: places that were taken are free again."""
        self._next = self._kept
