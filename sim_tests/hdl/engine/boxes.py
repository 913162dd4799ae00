"""Boxes of tensors by definition: every element's coordinates, its address, its place in the picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Tensor:
    """How a tensor lies in memory from ``base`` (fields as TENSOR has them)."""

    base: int
    line: int
    element: int = 0
    tap_x_count: int = 1
    tap_x_stride: int = 0
    tap_y_stride: int = 0
    out_x_count: int = 65535
    out_y_count: int = 1
    out_x_stride: int = 0
    out_y_stride: int = 0
    batch_stride: int = 0
    x_first: int = 0
    x_out_step: int = 0
    x_tap_step: int = 0
    x_size: int = 1
    y_first: int = 0
    y_out_step: int = 0
    y_tap_step: int = 0
    y_size: int = 1
    fill: int = 0


@dataclass(frozen=True)
class Box:
    """``rows`` x ``cols`` of a tensor, from the coordinates given on."""

    tensor: Tensor
    rows: int
    cols: int
    batch: int = 0
    out_y: int = 0
    out_x: int = 0
    tap_y: int = 0
    tap_x: int = 0
    column: int = 0

    def elements(self) -> tuple[Numbers, NDArray[np.bool_]]:
        """Address of each element, and whether it is inside of the picture."""
        t = self.tensor
        row = (self.batch * t.out_y_count + self.out_y) * t.out_x_count + self.out_x + np.arange(self.rows)[:, None]
        out_x, out_y = row % t.out_x_count, row // t.out_x_count % t.out_y_count
        batch = row // t.out_x_count // t.out_y_count
        column = (self.tap_y * t.tap_x_count + self.tap_x) * t.line + self.column + np.arange(self.cols)[None, :]
        place, tap_x, tap_y = column % t.line, column // t.line % t.tap_x_count, column // t.line // t.tap_x_count
        address = t.base + out_x * t.out_x_stride + out_y * t.out_y_stride + batch * t.batch_stride
        address = address + tap_x * t.tap_x_stride + tap_y * t.tap_y_stride + (place << t.element)
        x = t.x_first + out_x * t.x_out_step + tap_x * t.x_tap_step
        y = t.y_first + out_y * t.y_out_step + tap_y * t.y_tap_step
        return address, (x >= 0) & (x < t.x_size) & (y >= 0) & (y < t.y_size)

    def order(self, stream: int = 0, tag: int = 0) -> dict[str, Any]:
        """The fields of an order."""
        t = self.tensor
        tensor = {field: value for field, value in vars(t).items() if field not in ("base", "element")}
        box = {
            "rows": self.rows,
            "cols": self.cols,
            "address": t.base + self.out_y * t.out_y_stride + self.batch * t.batch_stride,
            "line_start": self.column,
            "tap_x_start": self.tap_x,
            "out_x_start": self.out_x,
            "out_y_start": self.out_y,
            "out_x_offset": self.out_x * t.out_x_stride,
            "tap_x_offset": self.tap_x * t.tap_x_stride,
            "tap_y_offset": self.tap_y * t.tap_y_stride,
            "x_row": t.x_first + self.out_x * t.x_out_step,
            "y_row": t.y_first + self.out_y * t.y_out_step,
            "x_column": self.tap_x * t.x_tap_step,
            "y_column": self.tap_y * t.y_tap_step,
        }
        return {"box": box, "tensor": tensor, "element": t.element, "stream": stream, "tag": tag}


def matrix(base: int, pitch: int, rows: int, cols: int, element: int = 0, fill: int = 0) -> Box:
    """A plain matrix whose rows are ``pitch`` bytes apart."""
    return Box(Tensor(base, max(cols, 1), element, out_x_stride=pitch, fill=fill), rows, cols)


def convolution(
    rng: np.random.Generator, base: int, element: int, *, rows: int, cols: int, padding: bool = True
) -> Box:
    """A box in the middle of the loops of a random convolution over N pictures of H x W x channels."""
    height, width, channels = (int(v) for v in rng.integers(1, 9, 3))
    taps_y, taps_x, stride, dilation = (int(v) for v in rng.choice([1, 1, 2, 3], 4))
    pad = int(rng.integers(0, 4)) if padding else 0
    outs_y = max(1, (height + 2 * pad - dilation * (taps_y - 1) - 1) // stride + 1)
    outs_x = max(1, (width + 2 * pad - dilation * (taps_x - 1) - 1) // stride + 1)
    pixel = (channels + max(0, int(rng.integers(-2, 3)))) << element
    pitch = width * pixel + int(rng.integers(0, 9))
    tensor = Tensor(
        base - pad * (pitch + pixel),
        line=channels,
        element=element,
        tap_x_count=taps_x,
        tap_x_stride=dilation * pixel,
        tap_y_stride=dilation * pitch,
        out_x_count=outs_x,
        out_y_count=outs_y,
        out_x_stride=stride * pixel,
        out_y_stride=stride * pitch,
        batch_stride=height * pitch + int(rng.integers(0, 9)),
        x_first=-pad,
        x_out_step=stride,
        x_tap_step=dilation,
        x_size=width,
        y_first=-pad,
        y_out_step=stride,
        y_tap_step=dilation,
        y_size=height,
        fill=int(rng.integers(0, 1 << 16)),
    )
    deepest = taps_y * taps_x * channels
    start = int(rng.integers(0, deepest))
    box = Box(tensor, rows, min(cols, deepest - start), batch=int(rng.integers(0, 3)))
    return replace(
        box,
        out_y=int(rng.integers(0, outs_y)),
        out_x=int(rng.integers(0, outs_x)),
        tap_y=start // (taps_x * channels),
        tap_x=start // channels % taps_x,
        column=start % channels,
    )


def random_box(rng: np.random.Generator, base: int, element: int) -> Box:
    """A matrix or a box of a convolution, small, with edges and primes as sizes."""
    sizes = (1, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 33)
    rows, cols = (int(rng.choice(sizes)) for _ in range(2))
    if rng.integers(0, 3):
        return convolution(rng, base, element, rows=rows, cols=cols)
    pitch = int(rng.choice([cols << element, int(rng.integers(-200, 200))]))
    return matrix(base, pitch, rows, cols, element)
