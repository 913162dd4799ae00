"""Random products on an accelerator, compared bit by bit; of a core behind a link also all else that it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tilewright.fpga.host.link.core_rounds import CoreRounds
from tilewright.fpga.host.link.hosted_engine import HostedEngine
from tilewright.fpga.host.selftest_failed import SelftestFailed
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.numbers import from_codes, to_codes
from tilewright.generators.reference.product import product
from tilewright.hdl.numeric import Format, FxFormat, IntFormat

_EXTREME = 0.2
"""Of the operands, those that have only the ends of their format, -1 and 0."""


@dataclass(frozen=True)
class Tested:
    """What was right.

    Attributes:
        results: of the products.
        commands, transfers: of programs between them, of a core behind a link only; ``refusals``: those that are not
            legal, and were told to be so.
        frames: of its link, right and wrong.
    """

    results: int
    commands: int = 0
    transfers: int = 0
    refusals: int = 0
    frames: int = 0


class Multiplies(Protocol):
    """What is tested."""

    config: EngineConfig

    def matmul(self, a: Any, b: Any) -> NDArray[Any]:
        """See `Accelerator.matmul`."""
        ...


def selftest(
    accelerator: Multiplies, products: int = 20, *, seed: int = 1, tell: Callable[[int], None] = lambda done: None
) -> Tested:
    """Compares random products of ragged and whole tiles with the arithmetic contract, bit by bit.

    Where a core behind a link multiplies, there are random programs and frames between them, legal or not; see
    `CoreRounds`.

    Args:
        accelerator: what multiplies.
        products: how many.
        seed: of shapes and operands.
        tell: hears how many are done.

    Raises:
        SelftestFailed: for the first result or answer that is wrong.
    """
    random, config, compared = np.random.default_rng(seed), accelerator.config, 0
    point = config.acc.width // 2 if isinstance(config.acc, FxFormat) else 0
    transport = getattr(accelerator, "transport", None)
    rounds = CoreRounds(transport.driver, seed) if isinstance(transport, HostedEngine) else None
    for number in range(products):
        if rounds is not None:
            rounds.before(number)
        m, n, k = (1 + int(2 * size * random.random() ** 2 + 0.5) for size in (config.rows, config.cols, config.rows))
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
    if rounds is None:
        return Tested(compared)
    return Tested(compared, **vars(rounds.core.counts), frames=rounds.link.frames)


def _numbers(random: np.random.Generator, fmt: Format, shape: tuple[int, int]) -> NDArray[Any]:
    if isinstance(fmt, IntFormat):
        if random.random() < _EXTREME:
            return random.choice(np.array((fmt.min, fmt.max, max(fmt.min, -1), 0)), shape)
        return random.integers(fmt.min, fmt.max, shape, endpoint=True)
    return random.standard_normal(shape).astype(np.float32)


def _bits(numbers: NDArray[Any]) -> NDArray[Any]:
    return numbers.view(np.uint32) if numbers.dtype == np.float32 else numbers
