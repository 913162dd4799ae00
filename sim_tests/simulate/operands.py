"""What is asked of the matrices of a simulation: numbers in range, of shapes that belong together and fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.generators.config import derived
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.numbers import as_array, to_codes
from tilewright.hdl.numeric import Format

Matrix = NDArray[np.int64]

LARGEST = 65_535  # rows and columns that a command can name


@dataclass(frozen=True)
class Operands:
    """C = start + A @ B in codes: ``a`` M x K, ``b`` K x N; ``bias`` (1 x N) or ``c`` (M x N) or neither is there."""

    a: Matrix
    b: Matrix
    bias: Matrix | None = None
    c: Matrix | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """M, N, K."""
        return self.a.shape[0], self.b.shape[1], self.a.shape[1]


def operands(
    config: SystolicConfig, a: ArrayLike, b: ArrayLike, bias: ArrayLike | None, c: ArrayLike | None, point: int = 0
) -> Operands:
    """The operands, checked. Raises ConfigError (a ValueError), and where one holds no numbers a TypeError, too."""
    left, right = _matrix("a", a, config.a, point), _matrix("b", b, config.b, point)
    if left.shape[1] != right.shape[0]:
        raise ConfigError(
            f"b must have as many rows as a has columns, {left.shape[1]}, got shape {right.shape}; "
            f"nearest legal shape is {(left.shape[1], right.shape[1])}"
        )
    if bias is not None and c is not None:
        raise ConfigError("bias and c must not be given together; C starts from one of them, or from zero")
    m, n = left.shape[0], right.shape[1]
    row = None if bias is None else _start("bias", bias, config.acc, (1, n), point, row=True)
    old = None if c is None else _start("c", c, config.acc, (m, n), point)
    _check_fit(config, m, n, left.shape[1], bias_rows=int(row is not None))
    return Operands(left, right, row, old)


def _matrix(name: str, values: ArrayLike, fmt: Format, point: int, *, row: bool = False) -> Matrix:
    """``row``: it may be a vector, as in numpy."""
    array = as_array(name, values)
    if row and array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2:
        raise ConfigError(
            f"{name} must be a matrix of two dimensions, got shape {array.shape}; {_two(name, array.ndim)}"
        )
    return to_codes(name, array, fmt, point)


def _two(name: str, dimensions: int) -> str:
    nearest = {0: f"[[{name}]]", 1: f"{name}[None, :]"}.get(dimensions, f"one of its matrices, {name}[0]")
    return f"nearest legal value is {nearest}"


def _start(
    name: str, values: ArrayLike, acc: Format, shape: tuple[int, int], point: int, *, row: bool = False
) -> Matrix:
    matrix = _matrix(name, values, acc, point, row=row)
    if matrix.shape != shape:
        raise ConfigError(f"{name} must have shape {shape}, got {matrix.shape}; nearest legal shape is {shape}")
    return matrix


def _check_fit(config: SystolicConfig, m: int, n: int, k: int, *, bias_rows: int) -> None:
    pads, vector = config.scratchpads, config.vector
    _check_matrix("a", "A", pads.a, m, k, per_row=1, per_column=vector, spare=0)
    _check_matrix("b", "B", pads.b, k, n, per_row=vector, per_column=1, spare=0)
    _check_matrix(
        "c", "C with its bias row" if bias_rows else "C", pads.c, m, n, per_row=1, per_column=1, spare=bias_rows
    )


def _check_matrix(
    name: str, held: str, pad: derived.Scratchpad, height: int, width: int, *, per_row: int, per_column: int, spare: int
) -> None:
    """Refuses a matrix beyond its scratchpad; ``per_row`` and ``per_column`` values along K make one element."""
    rows, columns = -(-height // per_row), -(-width // per_column)
    words = derived.matrix_words(rows + spare, columns, pad.lanes)
    if words <= pad.words and max(height, width) <= LARGEST:
        return
    panels = -(-columns // pad.lanes)
    room = (pad.words // panels - spare) * per_row if panels else LARGEST
    fitting = (min(height, LARGEST, room), min(width, LARGEST))
    if fitting[0] < 1:  # the rows are too long for even one
        fitting = (1, min(width, LARGEST, pad.words // (1 + spare) * pad.lanes * per_column))
    raise ConfigError(
        f"{name} must fit its scratchpad of {pad.words} words of {pad.lanes} elements, got shape {(height, width)}, "
        f"for which {held} takes {words}; nearest shape that fits is {fitting}"
    )
