"""Numbers for test benches that look random and are the same everywhere."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric import IntFormat

Matrix = NDArray[np.int64]


class Noise:
    """Numbers that look random and are the same for the same name, everywhere."""

    def __init__(self, name: str) -> None:
        self._name, self._count = name, 0

    def number(self, bits: int) -> int:
        """A number of ``bits`` bits."""
        self._count += 1
        digest = hashlib.sha256(f"{self._name} {self._count}".encode()).digest()
        return int.from_bytes(digest, "little") & ((1 << bits) - 1)

    def matrix(self, rows: int, cols: int, fmt: IntFormat) -> Matrix:
        """Values of ``fmt``, one in eight of them an extreme."""
        return np.array([self._value(fmt) for _ in range(rows * cols)], dtype=np.int64).reshape(rows, cols)

    def _value(self, fmt: IntFormat) -> int:
        kind = self.number(4)
        return fmt.min if kind == 0 else fmt.max if kind == 1 else fmt.min + self.number(fmt.width)
