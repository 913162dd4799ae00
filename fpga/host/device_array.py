"""Matrices that lie in an engine's memory."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.generators.program.tensor import Matrix, View
from tilewright.generators.program.transposed import Transposed
from tilewright.hdl.numeric import Format, container_bytes


@dataclass(frozen=True)
class DeviceArray:
    """A matrix in an engine's memory, values of ``format`` in their containers: row by row, or column by column.

    ``base``: the array whose transpose it is, None for one that lies row by row.
    """

    address: int
    shape: tuple[int, int]
    format: Format
    base: DeviceArray | None = None

    @property
    def T(self) -> DeviceArray:
        """The transpose, of the same bytes: nothing is moved, but loads and stores of it take a beat a value."""
        if self.base is not None:
            return self.base
        return DeviceArray(self.address, (self.shape[1], self.shape[0]), self.format, self)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.shape[0] * self.shape[1] * container_bytes(self.format)

    @property
    def view(self) -> View:
        """The same for programs."""
        kind = Matrix if self.base is None else Transposed
        return kind(self.address, *self.shape, container_bytes(self.format))
