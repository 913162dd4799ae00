"""Real matrices as operands of an engine: rows of A and columns of B each with a unit of their own."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.hdl.numeric import IntFormat

Array = NDArray[Any]


class Coding(Protocol):
    """Operands of an engine, and what one unit of each is worth; matrices are the last two dimensions."""

    def rows(self, a: Array) -> tuple[Array, Array]:
        """(operand A, unit of each row: (.., M, 1))."""
        ...

    def columns(self, b: Array) -> tuple[Array, Array]:
        """(operand B, unit of each column: (.., 1, N))."""
        ...


class IntegerCoding:
    """Symmetric integers: the largest magnitude of a row, or column, is the largest number of the format."""

    def __init__(self, a: IntFormat, b: IntFormat) -> None:
        self.a, self.b = a, b

    def rows(self, a: Array) -> tuple[Array, Array]:
        """See `Coding`."""
        return _quantised(a, -1, self.a)

    def columns(self, b: Array) -> tuple[Array, Array]:
        """See `Coding`."""
        return _quantised(b, -2, self.b)


class FloatCoding:
    """Floats as they are: the engine's driver rounds them to its format."""

    def rows(self, a: Array) -> tuple[Array, Array]:
        """See `Coding`."""
        return a, np.ones(1)

    def columns(self, b: Array) -> tuple[Array, Array]:
        """See `Coding`."""
        return b, np.ones(1)


def coding(config: EngineConfig) -> Coding:
    """That of an engine."""
    if isinstance(config.a, IntFormat) and isinstance(config.b, IntFormat):
        return IntegerCoding(config.a, config.b)
    return FloatCoding()


def _quantised(values: Array, axis: int, fmt: IntFormat) -> tuple[Array, Array]:
    unit = np.abs(values).max(axis=axis, keepdims=True) / fmt.max
    unit = np.where(unit == 0, 1.0, unit)
    return np.rint(values / unit).astype(np.int64), unit
