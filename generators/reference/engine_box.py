"""Which bytes of memory a matrix out of a tensor is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.numeric import Format, IntFormat, code_format

Integers = NDArray[np.int64]
Fields = Mapping[str, int]


@dataclass(frozen=True)
class Elements:
    """The values of a box, ``(rows, cols)`` each.

    Attributes:
        address: of the value's first byte.
        inside: whether it is in memory.
        begins: whether a run begins with it: values that follow each other in one line of one row.
    """

    address: Integers
    inside: NDArray[np.bool_]
    begins: NDArray[np.bool_]


def elements(tensor: Fields, box: Fields, value_bytes: int, address_bits: int) -> Elements:
    """Where all values of ``box`` lie."""
    rows, cols = np.arange(box["rows"]), np.arange(box["cols"])
    # Rows: one number counts out_x, out_y and pictures; columns: one counts line, tap x and tap y.
    row = rows + box["out_x_start"] + tensor["out_x_count"] * box["out_y_start"]
    line, out_x = np.divmod(row, tensor["out_x_count"])
    picture, out_y = np.divmod(line, tensor["out_y_count"])
    column = cols + box["line_start"] + tensor["line"] * box["tap_x_start"]
    tap, element = np.divmod(column, tensor["line"])
    step_y, tap_x = np.divmod(tap, tensor["tap_x_count"])

    start = box["address"] - (1 << 64 if box["address"] >> 63 else 0)
    along_rows = (
        (out_x - box["out_x_start"]) * tensor["out_x_stride"]
        + box["out_x_offset"]
        + (out_y - box["out_y_start"]) * tensor["out_y_stride"]
        + picture * tensor["batch_stride"]
    )
    along_columns = (
        element * value_bytes
        + (tap_x - box["tap_x_start"]) * tensor["tap_x_stride"]
        + box["tap_x_offset"]
        + step_y * tensor["tap_y_stride"]
        + box["tap_y_offset"]
    )
    address = (start + along_rows[:, None] + along_columns[None, :]) & ((1 << min(address_bits, 63)) - 1)
    x = _places(box["x_row"], out_x - box["out_x_start"], tensor["x_out_step"])
    x = x[:, None] + _places(box["x_column"], tap_x - box["tap_x_start"], tensor["x_tap_step"])
    y = _places(box["y_row"], out_y - box["out_y_start"], tensor["y_out_step"])
    y = y[:, None] + _places(box["y_column"], step_y, tensor["y_tap_step"])
    inside = (x >= 0) & (x < tensor["x_size"]) & (y >= 0) & (y < tensor["y_size"])
    begins = np.broadcast_to((cols == 0) | (element == 0), inside.shape)
    return Elements(address, inside, begins)


def _places(first: int, steps: Integers, step: int) -> Integers:
    """The part of the place in the picture that rows or taps make, ``first`` that of the starting one."""
    return first + steps * step


def codes(raw: Integers, fmt: Format) -> Integers:
    """Values of ``fmt`` from the lowest bits of their containers: integers as numbers, others as their bits."""
    stored = code_format(fmt)
    shift = 64 - stored.width
    if isinstance(fmt, IntFormat) and fmt.signed:
        return (raw << shift) >> shift
    return raw & ((1 << stored.width) - 1) if stored.width < 64 else raw


def gather(memory: NDArray[np.uint8], address: Integers, value_bytes: int) -> Integers:
    """Containers as they lie in ``memory``, as numbers without a sign (of 8 bytes: with)."""
    total = np.zeros(address.shape, dtype=np.int64)
    for byte in range(value_bytes):
        total |= memory[address + byte].astype(np.int64) << (8 * byte)
    return total


def scatter(memory: NDArray[np.uint8], address: Integers, values: Integers, value_bytes: int) -> None:
    """The opposite: the lowest bytes of ``values``; signed integers fill their container with their sign."""
    for byte in range(value_bytes):
        memory[address + byte] = (values >> (8 * byte)) & 0xFF
