"""Convolutions of random pictures in a memory, and what must lie there afterwards."""

from __future__ import annotations

import numpy as np

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.convolution import Convolution
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.reference.product import product as exact_product
from tilewright.hdl.numeric import Format, IntFormat, code_format, container_bytes, requantise
from tilewright.sim_tests.generators.program.problems import Problem, finish_to, put, random_codes
from tilewright.sim_tests.generators.program.test_convolution import im2col, memory_of, pair

_CHANNELS = (1, 2, 3, 4, 5, 8, 16)
_MOST = 20_000  # values of the matrix


def _view(random: np.random.Generator, fmt: Format) -> Convolution:
    """Dense pictures of 3 x 3 to 13 x 13 pixels under kernels of up to 3 x 3."""
    while True:
        height, width = (int(side) for side in random.integers(3, 14, 2))
        size = container_bytes(fmt)
        try:
            found = Convolution(
                address=int(random.integers(0, 40)) * size,
                pictures=int(random.integers(1, 4)),
                height=height,
                width=width,
                channels=int(random.choice(_CHANNELS)),
                kernel=pair(random, 1, 4),
                value_bytes=size,
                stride=pair(random, 1, 3),
                dilation=(1, 1) if random.random() < 0.7 else pair(random, 1, 3),
                before=pair(random, 0, 2),
                after=pair(random, 0, 2),
            )
        except ValueError:  # a kernel that is larger than its picture
            continue
        if found.rows * found.cols < _MOST:
            return found


def picture_problem(config: EngineConfig, random: np.random.Generator, *, finish: bool = False) -> Problem:
    """A convolution to 1..19 channels, from zero."""
    view = _view(random, config.a)
    pictures, values = memory_of(view, random)
    n, place = int(random.integers(1, 20)), len(pictures)
    b = Matrix(place + -place % 8, view.cols, n, container_bytes(config.b))
    result = config.result if finish else config.acc
    assert result is not None
    c = Matrix(b.address + b.rows * b.pitch + -b.rows * b.pitch % 8, view.rows, n, container_bytes(result))
    memory = random.integers(0, 256, size=c.address + c.rows * c.pitch + 64, dtype=np.uint8)
    memory[:place] = pictures
    weights = random_codes(random, config.b, (view.cols, n))
    put(memory, b, weights)
    expected = exact_product(config, im2col(view, _codes(values, config.a)), weights, np.zeros((1, n), dtype=np.int64))
    ending = None
    if finish:
        assert isinstance(result, IntFormat)
        ending = finish_to(result)
        expected = requantise(expected, ending.multiplier, ending.shift, ending.zero_point, result)
        expected = np.clip(expected, ending.low, ending.high)
    return Problem(config, Product(view, b, c, finish=ending), memory, expected)


def _codes(values: np.ndarray, fmt: Format) -> np.ndarray:
    """What lies in memory as codes: bits above them are not looked at."""
    width = code_format(fmt).width
    kept = values & ((1 << width) - 1)
    signed = isinstance(fmt, IntFormat) and fmt.signed
    return kept - ((kept >> (width - 1) & 1) << width) if signed else kept
