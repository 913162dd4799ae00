"""Numbers for test benches that look random and are the same everywhere."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric import FloatFormat, Format, FxFormat

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

    def matrix(self, rows: int, cols: int, fmt: Format) -> Matrix:
        """Codes of ``fmt``, one in eight of them an extreme."""
        return np.array([self._value(fmt) for _ in range(rows * cols)], dtype=np.int64).reshape(rows, cols)

    def _value(self, fmt: Format) -> int:
        if isinstance(fmt, FloatFormat):
            return self._float(fmt)
        if isinstance(fmt, FxFormat):  # half of the window, so that what is added stays within
            return ((self.number(fmt.width - 1) << 1) - (1 << (fmt.width - 1)) >> 1) & ((1 << fmt.width) - 1)
        kind = self.number(4)
        return fmt.min if kind == 0 else fmt.max if kind == 1 else fmt.min + self.number(fmt.width)

    def _float(self, fmt: FloatFormat) -> int:
        """Around 1, or an extreme; one in 64 an infinity or NaN, with which everything that it meets becomes one."""
        sign = self.number(1) * fmt.sign_bit
        kind = self.number(6)
        if kind == 0:
            return sign | fmt.largest_bits + 1 + self.number(fmt.fraction_bits) % (fmt.sign_bit - fmt.largest_bits - 1)
        if kind < 8:
            edges = (0, 1, 1 << fmt.fraction_bits, fmt.largest_bits)
            return sign | edges[kind % 4]
        field = fmt.bias - 2 + self.number(2)
        return sign | field << fmt.fraction_bits | self.number(fmt.fraction_bits)
