"""Products of random matrices in a memory, and what must lie there afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.product import Finish, Product
from tilewright.generators.program.tensor import Matrix, View
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.generators.reference.engine_finishing import Traffic
from tilewright.generators.reference.product import product as exact_product
from tilewright.hdl.numeric import Format, IntFormat, code_format, container_bytes, requantise

Integers = NDArray[np.int64]
Start = Literal["zero", "bias", "old"]


def finish_to(result: IntFormat) -> Finish:
    """Scales a sum by 2^-5.5; clamps a little within the extremes of the format."""
    low, high = result.min + result.max // 8, result.max - result.max // 16
    return Finish(multiplier=0x5A82799A, shift=36, zero_point=max(-3, low), low=low, high=high)


def random_codes(random: np.random.Generator, fmt: Format, shape: tuple[int, ...]) -> Integers:
    """Codes of small values, some of them the extremes of an integer format."""
    if isinstance(fmt, IntFormat):
        span = min(fmt.max, 1 << 20)
        values = random.integers(max(fmt.min, -span), span, size=shape, endpoint=True)
        return np.where(random.random(shape) < 0.05, random.choice((fmt.min, fmt.max), size=shape), values)
    return random.integers(0, 1 << code_format(fmt).width, size=shape)


def put(memory: NDArray[np.uint8], view: View, values: Integers) -> None:
    """Writes a plain matrix."""
    assert isinstance(view, Matrix)
    for row, line in enumerate(values):
        at, size = view.address + row * view.pitch, view.value_bytes
        memory[at : at + size * len(line)] = line.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :size].reshape(-1)


def take(memory: NDArray[np.uint8], view: View, fmt: Format) -> Integers:
    """Reads a plain matrix of codes."""
    assert isinstance(view, Matrix)
    kind = f"<{'i' if isinstance(fmt, IntFormat) and fmt.signed else 'u'}{view.value_bytes}"
    rows = [
        memory[at : at + view.cols * view.value_bytes].view(kind)
        for at in range(view.address, view.address + view.rows * view.pitch, view.pitch)
    ]
    return np.array(rows).astype(np.int64)


@dataclass
class Problem:
    """A product with its memory and its result."""

    config: EngineConfig
    product: Product
    memory: NDArray[np.uint8]
    expected: Integers

    def check(self, tiling: Tiling, seeds: int = 3) -> Traffic:
        """Runs the tiling's program in order and in random orders; tells what it moved."""
        program = encode(gemm_program(self.product, tiling, self.config))
        memory = self.memory.copy()
        traffic = ReferenceEngine(self.config, memory).check(program, range(seeds))
        c = self.product.c
        fmt = self.config.acc if self.product.finish is None else self.config.result
        assert fmt is not None
        np.testing.assert_array_equal(take(memory, c, fmt), self.expected)
        untouched = self.memory.copy()
        put(untouched, c, self.expected)
        np.testing.assert_array_equal(memory, untouched)
        return traffic


def problem(
    config: EngineConfig, m: int, n: int, k: int, *, start: Start = "zero", finish: bool = False, seed: int = 1
) -> Problem:
    """Matrices with random gaps before them and between their rows."""
    random = np.random.default_rng((seed, m, n, k))
    result = config.result if finish else config.acc
    assert result is not None
    place = 0

    def matrix(rows: int, cols: int, fmt: Format) -> Matrix:
        nonlocal place
        size = container_bytes(fmt)
        pitch = (cols + int(random.integers(0, 20)) * int(random.integers(0, 2))) * size
        view = Matrix(place + size * int(random.integers(0, 40)), rows, cols, size, pitch)
        place = view.address + rows * pitch
        place += -place % 8
        return view

    a, b, c = matrix(m, k, config.a), matrix(k, n, config.b), matrix(m, n, result)
    rows = {"zero": 0, "bias": 1, "old": m}[start]
    begins = matrix(rows, n, config.acc) if rows else None
    memory = random.integers(0, 256, size=place + 64, dtype=np.uint8)
    left, right = random_codes(random, config.a, (m, k)), random_codes(random, config.b, (k, n))
    put(memory, a, left)
    put(memory, b, right)
    first = np.zeros((1, n), dtype=np.int64)
    if begins is not None:
        first = random_codes(random, config.acc, (rows, n))
        put(memory, begins, first)
    expected, ending = exact_product(config, left, right, first), None
    if finish:
        assert isinstance(result, IntFormat)
        ending = finish_to(result)
        expected = requantise(expected, ending.multiplier, ending.shift, ending.zero_point, result)
        expected = np.clip(expected, ending.low, ending.high)
    product = Product(a, b, c, begins, accumulate=start == "old", finish=ending)
    return Problem(config, product, memory, expected)
