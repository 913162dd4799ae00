"""Matrices that lie in an engine's memory."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.generators.program.tensor import Matrix
from tilewright.hdl.numeric import Format, container_bytes


@dataclass(frozen=True)
class DeviceArray:
    """A matrix in an engine's memory, row by row, values of ``format`` in their containers."""

    address: int
    shape: tuple[int, int]
    format: Format

    @property
    def size(self) -> int:
        """Bytes."""
        return self.shape[0] * self.shape[1] * container_bytes(self.format)

    @property
    def view(self) -> Matrix:
        """The same for programs."""
        return Matrix(self.address, *self.shape, container_bytes(self.format))
