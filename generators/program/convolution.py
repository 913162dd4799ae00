"""The matrix that a convolution multiplies its weights with, read out of a picture without being stored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.program.tensor import View, wrapped
from tilewright.generators.reference.engine_spans import Runs, run_beats

Pair = tuple[int, int]


@dataclass(frozen=True)
class Convolution(View):
    """The im2col matrix of pictures ``(pictures, height, width, channels)``, channels together in memory (NHWC).

    Row (picture, out_y, out_x), column (kernel_y, kernel_x, channel) is the value of the pixel at
    y = out_y * stride + kernel_y * dilation - padding, x likewise; ``fill`` where there is no such pixel. Pairs are
    (y, x).

    Args:
        address: of the first value, in bytes.
        pictures, height, width, channels: of the input.
        kernel: size of the kernel, up to 255 in x.
        value_bytes: of a value's container.
        stride, dilation: 1..255.
        before, after: padding at the top and left, bottom and right.
        fill: code of the padding's values: the zero point of A.
        pixel_bytes, row_bytes, picture_bytes: pitches; 0 for no gap.
    """

    address: int
    pictures: int
    height: int
    width: int
    channels: int
    kernel: Pair
    value_bytes: int
    stride: Pair = (1, 1)
    dilation: Pair = (1, 1)
    before: Pair = (0, 0)
    after: Pair = (0, 0)
    fill: int = 0
    pixel_bytes: int = 0
    row_bytes: int = 0
    picture_bytes: int = 0

    def __post_init__(self) -> None:
        for name, dense in (
            ("pixel_bytes", self.channels * self.value_bytes),
            ("row_bytes", self.width * (self.pixel_bytes or self.channels * self.value_bytes)),
        ):
            if not getattr(self, name):
                object.__setattr__(self, name, dense)
        if not self.picture_bytes:
            object.__setattr__(self, "picture_bytes", self.height * self.row_bytes)
        if min(self.out) < 1:
            raise ValueError(f"a kernel must fit into the padded picture, got outputs of {self.out[0]} x {self.out[1]}")

    @property
    def out(self) -> Pair:
        """(height, width) of the output."""
        sizes = (self.height, self.width)
        reach = tuple(d * (k - 1) + 1 for d, k in zip(self.dilation, self.kernel, strict=True))
        out = [(sizes[i] + self.before[i] + self.after[i] - reach[i]) // self.stride[i] + 1 for i in range(2)]
        return out[0], out[1]

    @property
    def rows(self) -> int:  # type: ignore[override] # follows from the other fields
        """Output pixels."""
        return self.pictures * self.out[0] * self.out[1]

    @property
    def cols(self) -> int:  # type: ignore[override]
        """Weights of an output channel."""
        return self.kernel[0] * self.kernel[1] * self.channels

    def description(self) -> dict[str, int]:
        """A line is the channels of a pixel; what lies outside the picture is told by its size."""
        return {
            "line": self.channels,
            "tap_x_count": self.kernel[1],
            "tap_x_stride": self.dilation[1] * self.pixel_bytes,
            "tap_y_stride": self.dilation[0] * self.row_bytes,
            "out_x_count": self.out[1],
            "out_y_count": self.out[0],
            "out_x_stride": self.stride[1] * self.pixel_bytes,
            "out_y_stride": self.stride[0] * self.row_bytes,
            "batch_stride": self.picture_bytes,
            "x_first": -self.before[1],
            "x_out_step": self.stride[1],
            "x_tap_step": self.dilation[1],
            "x_size": self.width,
            "y_first": -self.before[0],
            "y_out_step": self.stride[0],
            "y_tap_step": self.dilation[0],
            "y_size": self.height,
            "fill": self.fill,
        }

    def box(self, row: int, column: int, rows: int, cols: int) -> dict[str, int]:
        """As of any view; the address may wrap below 0, from where the offsets lead into the picture."""
        self.check(row, column, rows, cols)
        line, out_x = divmod(row, self.out[1])
        picture, out_y = divmod(line, self.out[0])
        tap, channel = divmod(column, self.channels)
        tap_y, tap_x = divmod(tap, self.kernel[1])
        first_pixel = -self.before[0] * self.row_bytes - self.before[1] * self.pixel_bytes
        lines = out_y * self.stride[0] * self.row_bytes + picture * self.picture_bytes
        return {
            "rows": rows,
            "cols": cols,
            "address": wrapped(self.address + first_pixel + lines),
            "line_start": channel,
            "tap_x_start": tap_x,
            "out_x_start": out_x,
            "out_y_start": out_y,
            "out_x_offset": out_x * self.stride[1] * self.pixel_bytes,
            "tap_x_offset": tap_x * self.dilation[1] * self.pixel_bytes,
            "tap_y_offset": tap_y * self.dilation[0] * self.row_bytes,
            "x_row": out_x * self.stride[1] - self.before[1],
            "x_column": tap_x * self.dilation[1],
            "y_row": out_y * self.stride[0] - self.before[0],
            "y_column": tap_y * self.dilation[0],
        }

    def transfers(self, row: int, column: int, rows: int, cols: int, bus_bytes: int, longest: int) -> tuple[int, int]:
        """As of any view; a run is a pixel, or what is moved of it."""
        taps = np.arange(column // self.channels, (column + cols - 1) // self.channels + 1)
        low = np.maximum(taps * self.channels, column) - taps * self.channels
        high = np.minimum((taps + 1) * self.channels, column + cols) - taps * self.channels
        lines = np.arange(row, row + rows)[:, None]
        y = self._place(0, lines // self.out[1] % self.out[0], taps // self.kernel[1])
        x = self._place(1, lines % self.out[1], taps % self.kernel[1])
        inside = (y >= 0) & (y < self.height) & (x >= 0) & (x < self.width)
        picture = lines // (self.out[0] * self.out[1])
        pixel = self.address + picture * self.picture_bytes + y * self.row_bytes + x * self.pixel_bytes
        size = np.broadcast_to((high - low) * self.value_bytes, inside.shape)
        ends = np.broadcast_to(taps == taps[-1], inside.shape)
        first = pixel + low * self.value_bytes
        found = Runs(first.ravel(), size.ravel(), inside.ravel(), ends.ravel())
        return rows * len(taps), run_beats(found, bus_bytes, longest)

    def rows_follow(self, cols: int) -> bool:
        """As of any view: where pixels do, or a picture is as wide as its kernel."""
        return (self.kernel[0] == 1 and self.kernel[1] == self.stride[1]) or self.out[1] == 1

    def _place(self, axis: int, out: NDArray[np.int64], tap: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where in the picture a row and a tap are."""
        return out * self.stride[axis] + tap * self.dilation[axis] - self.before[axis]
