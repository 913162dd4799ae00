"""Random products on an accelerator, compared bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.numbers import from_codes, to_codes
from tilewright.generators.reference.product import product
from tilewright.hdl.numeric import Format, FxFormat, IntFormat


class SelftestFailed(AssertionError):
    """A product is wrong; the message says which, and where."""


class Multiplies(Protocol):
    """What is tested."""

    config: EngineConfig

    def matmul(self, a: Any, b: Any) -> NDArray[Any]:
        """See `Accelerator.matmul`."""
        ...


def selftest(
    accelerator: Multiplies, products: int = 20, *, seed: int = 1, tell: Callable[[int], None] = lambda done: None
) -> int:
    """Compares random products of ragged and whole tiles with the arithmetic contract, bit by bit.

    Args:
        accelerator: what multiplies.
        products: how many.
        seed: of shapes and operands.
        tell: hears how many are done.

    Returns:
        How many results were compared.

    Raises:
        SelftestFailed: for the first one that is wrong.
    """
    random, config, compared = np.random.default_rng(seed), accelerator.config, 0
    point = config.acc.width // 2 if isinstance(config.acc, FxFormat) else 0
    for number in range(products):
        m, n, k = (int(random.integers(1, 2 * size + 2)) for size in (config.rows, config.cols, config.rows))
        a, b = _numbers(random, config.a, (m, k)), _numbers(random, config.b, (k, n))
        found = accelerator.matmul(a, b)
        left, beside = to_codes("a", a, config.a, 0), to_codes("b", b, config.b, 0)
        codes = product(config, left, beside, np.zeros((m, n), dtype=np.int64), point)
        right = from_codes(codes, config.acc, point)
        wrong = np.argwhere(_bits(found) != _bits(right.astype(found.dtype)))
        if len(wrong):
            row, column = (int(at) for at in wrong[0])
            raise SelftestFailed(
                f"product {number + 1} of {products}, {m} x {k} by {k} x {n}, seed {seed}: {len(wrong)} of {m * n} "
                f"results are wrong; row {row}, column {column} is {found[row, column]}, expected {right[row, column]}"
            )
        compared += m * n
        tell(number + 1)
    return compared


def _numbers(random: np.random.Generator, fmt: Format, shape: tuple[int, int]) -> NDArray[Any]:
    if isinstance(fmt, IntFormat):
        return random.integers(fmt.min, fmt.max, shape, endpoint=True)
    return random.standard_normal(shape).astype(np.float32)


def _bits(numbers: NDArray[Any]) -> NDArray[Any]:
    return numbers.view(np.uint32) if numbers.dtype == np.float32 else numbers
