"""Boxes of convolutions against an im2col of numpy's own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from tilewright.generators.program.convolution import Convolution
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.generators.reference.engine_box import elements, gather
from tilewright.generators.reference.engine_spans import beats
from tilewright.sim_tests.generators.program.engines import SMALL
from tilewright.sim_tests.generators.program.test_tensor import full


def im2col(view: Convolution, pictures: NDArray[np.int64]) -> NDArray[np.int64]:
    """The matrix of ``(pictures, height, width, channels)``, by numpy's windows."""
    pads = [(0, 0), *((view.before[i], view.after[i]) for i in range(2)), (0, 0)]
    padded = np.pad(pictures, pads, constant_values=view.fill)
    reach = [view.dilation[i] * (view.kernel[i] - 1) + 1 for i in range(2)]
    windows = sliding_window_view(padded, reach, axis=(1, 2))
    windows = windows[:, :: view.stride[0], :: view.stride[1], :, :: view.dilation[0], :: view.dilation[1]]
    return windows.transpose(0, 1, 2, 4, 5, 3).reshape(view.rows, view.cols)


def pair(random: np.random.Generator, low: int, high: int) -> tuple[int, int]:
    """(y, x), each below ``high``."""
    return int(random.integers(low, high)), int(random.integers(low, high))


def random_view(random: np.random.Generator, value_bytes: int = 1) -> Convolution:
    """Any legal convolution over small pictures, dense or with gaps."""
    while True:
        channels, width, height = (int(n) for n in random.integers(1, 8, size=3))
        pixel = (channels + int(random.integers(0, 3))) * value_bytes
        row = width * pixel + int(random.integers(0, 5)) * value_bytes
        try:
            return Convolution(
                address=int(random.integers(0, 50)) * value_bytes,
                pictures=int(random.integers(1, 4)),
                height=height,
                width=width,
                channels=channels,
                kernel=pair(random, 1, 4),
                value_bytes=value_bytes,
                stride=pair(random, 1, 4),
                dilation=pair(random, 1, 3),
                before=pair(random, 0, 3),
                after=pair(random, 0, 3),
                fill=int(random.integers(0, 100)),
                pixel_bytes=pixel,
                row_bytes=row,
                picture_bytes=height * row + int(random.integers(0, 9)) * value_bytes,
            )
        except ValueError:
            continue


def memory_of(view: Convolution, random: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """A memory and the pictures in it."""
    size = view.address + view.pictures * view.picture_bytes + 64
    memory = random.integers(0, 128, size=size, dtype=np.uint8)
    b, y, x, c = np.indices((view.pictures, view.height, view.width, view.channels))
    place = view.address + b * view.picture_bytes + y * view.row_bytes + x * view.pixel_bytes + c * view.value_bytes
    return memory, gather(memory, place, view.value_bytes)


@pytest.mark.parametrize("value_bytes", [1, 2])
def test_boxes_anywhere(value_bytes: int) -> None:
    random = np.random.default_rng(value_bytes)
    for _ in range(150):
        view = random_view(random, value_bytes)
        memory, pictures = memory_of(view, random)
        want = im2col(view, pictures)
        row, column = int(random.integers(view.rows)), int(random.integers(view.cols))
        rows, cols = int(random.integers(1, view.rows - row + 1)), int(random.integers(1, view.cols - column + 1))
        found = elements(view.description(), full(view.box(row, column, rows, cols)), value_bytes, 40)
        raw = gather(memory, np.where(found.inside, found.address, 0), value_bytes)
        got = np.where(found.inside, raw, view.fill)
        np.testing.assert_array_equal(got, want[row : row + rows, column : column + cols])
        for longest in (16, 64, 512):
            runs, moved = view.transfers(row, column, rows, cols, 16, longest)
            assert (runs, moved) == (found.begins.sum(), beats(found, value_bytes, 16, longest))


def test_a_convolution_layer() -> None:
    """3 x 3, padded, tiles that begin and end within pictures, lines and taps."""
    random = np.random.default_rng(5)
    view = Convolution(16, 2, 5, 6, 3, (3, 3), 1, stride=(1, 2), before=(1, 1), after=(1, 1), fill=7)
    n = 6
    b = Matrix(0x200, view.cols, n, 1)
    c = Matrix(0x400, view.rows, n, 4)
    memory = random.integers(0, 256, size=0x1000, dtype=np.uint8)
    weights = memory[0x200 : 0x200 + view.cols * n].view(np.int8).reshape(-1, n).astype(np.int64)
    pixels = memory[16 : 16 + 2 * 5 * 6 * 3].view(np.int8).reshape(2, 5, 6, 3).astype(np.int64)
    want = im2col(view, pixels) @ weights
    program = encode(gemm_program(Product(view, b, c), Tiling("ws", "mn", 7, 4, 8, 2, 1), SMALL))
    ReferenceEngine(SMALL, memory).check(program, range(4))
    got = memory[0x400 : 0x400 + view.rows * n * 4].view("<i4").reshape(view.rows, n)
    np.testing.assert_array_equal(got, want)


def test_a_kernel_that_does_not_fit() -> None:
    with pytest.raises(ValueError, match=r"^a kernel must fit into the padded picture, got outputs of 0 x 3$"):
        Convolution(0, 1, 2, 5, 1, (3, 3), 1)
