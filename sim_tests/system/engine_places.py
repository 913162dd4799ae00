"""Random tensors in an engine's memory: at any byte, with gaps, some of them pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.program.convolution import Convolution
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.transposed import Transposed
from tilewright.hdl.numeric import Format, code_format, container_bytes
from tilewright.sim_tests.system.data import random_matrix

Codes = NDArray[np.int64]


class Full(Exception):
    """There is no room for another tensor."""


class Places:
    """Gives out parts of ``memory`` from its lower end, after a random gap each, and fills them.

    What lies between tensors keeps its bytes; so does the end of memory, whose size need not be that of a beat.
    """

    def __init__(self, memory: NDArray[np.uint8], rng: np.random.Generator) -> None:
        self.memory, self._rng = memory, rng
        self._next = int(rng.integers(0, 4096))

    def take(self, size: int, alignment: int = 1) -> int:
        """Address of ``size`` bytes. Raises Full."""
        gap = int(self._rng.choice((0, 1, int(self._rng.integers(0, 100)), int(self._rng.integers(0, 4096)))))
        address = -(-(self._next + gap) // alignment) * alignment
        if address + size > len(self.memory):
            raise Full
        self._next = address + size
        return address

    def matrix(self, rows: int, cols: int, fmt: Format, *, align: bool = False) -> Matrix:
        """Room for a matrix: rows dense, or apart by any number of bytes."""
        size = container_bytes(fmt)
        gap = int(self._rng.choice((0, 0, int(self._rng.integers(0, 5)), int(self._rng.integers(0, 80)))))
        pitch = cols * size + (gap * size if align else gap)
        return Matrix(self.take(rows * pitch, size if align else 1), rows, cols, size, pitch)

    def transposed(self, rows: int, cols: int, fmt: Format) -> Transposed:
        """Room for a matrix that lies column by column."""
        lies = self.matrix(cols, rows, fmt)
        return Transposed(lies.address, rows, cols, lies.value_bytes, lies.pitch)

    def filled_transposed(self, rows: int, cols: int, fmt: Format) -> Transposed:
        """The same, with random codes."""
        lies = self.filled(cols, rows, fmt)
        return Transposed(lies.address, rows, cols, lies.value_bytes, lies.pitch)

    def filled(self, rows: int, cols: int, fmt: Format, *, align: bool = False) -> Matrix:
        """The same, with random codes."""
        view = self.matrix(rows, cols, fmt, align=align)
        at = view.address + np.arange(rows)[:, None] * view.pitch + np.arange(cols) * view.value_bytes
        self._put(at, random_matrix(self._rng, fmt, rows, cols), fmt)
        return view

    def picture(self, largest_rows: int, largest_cols: int, fmt: Format) -> Convolution:
        """A random convolution's view of random pictures."""
        rng, size = self._rng, container_bytes(fmt)
        while True:
            kernel, stride, dilation = ((int(rng.integers(1, 4)), int(rng.integers(1, 4))) for _ in range(3))
            before, after = ((int(rng.integers(0, 3)), int(rng.integers(0, 3))) for _ in range(2))
            pictures, height, width = (int(rng.integers(1, most)) for most in (3, 8, 8))
            channels = int(rng.integers(1, 8))
            pixel_bytes = channels * size + int(rng.choice((0, 0, 3)))
            row_bytes = width * pixel_bytes + int(rng.choice((0, 0, 5)))
            picture_bytes = height * row_bytes + int(rng.choice((0, 7)))
            pitches = (pixel_bytes, row_bytes, picture_bytes)
            fill = int(random_matrix(rng, fmt, 1, 1)[0, 0]) & ((1 << code_format(fmt).width) - 1)
            try:
                view = Convolution(
                    0, pictures, height, width, channels, kernel, size, stride, dilation, before, after, fill, *pitches
                )
            except ValueError:  # the kernel is larger than the picture
                continue
            if view.rows <= largest_rows and view.cols <= largest_cols:
                break
        address = self.take(pictures * picture_bytes)
        p, y, x = np.indices((pictures, height, width)).reshape(3, -1)
        pixels = address + p * picture_bytes + y * row_bytes + x * pixel_bytes
        codes = random_matrix(rng, fmt, len(pixels), channels)
        self._put(pixels[:, None] + np.arange(channels) * size, codes, fmt)
        geometry = (pictures, height, width, channels, kernel, size, stride, dilation, before, after, fill, *pitches)
        return Convolution(address, *geometry)

    def _put(self, at: NDArray[np.int64], codes: Codes, fmt: Format) -> None:
        """Writes containers; what they have above a code is its sign, or anything."""
        width, size = code_format(fmt).width, container_bytes(fmt)
        if width < 8 * size and self._rng.random() < 0.5:
            above = self._rng.integers(-(1 << 62), 1 << 62, codes.shape) << width
            codes = codes & ((1 << width) - 1) | above
        for byte in range(size):
            self.memory[at + byte] = codes >> 8 * byte & 0xFF
