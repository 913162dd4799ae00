"""Products on an engine, each compared with the reference in every bit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minilm.coding import coding
from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.device_array import DeviceArray
from tilewright.fpga.host.operands import binary_point
from tilewright.generators.numbers import from_codes, to_codes
from tilewright.generators.reference.product import product

Array = NDArray[Any]


@dataclass(frozen=True)
class Measured:
    """What one run has come to: products of one kind in one layer.

    Attributes:
        products: how many; macs: their multiply-accumulates.
        cycles: from the write to the start bit to the interrupt.
        values: results that were compared; differing: those with a bit that is not the reference's.
        seconds: of wall time, with all that the driver does; simulated: those of them in which the clock ran.
        planned: whether it was the first product of its shape, for which a tiling had to be found.
    """

    layer: int
    kind: str
    products: int
    macs: int
    cycles: int
    values: int
    differing: int
    seconds: float
    simulated: float
    planned: bool


class EngineProducts:
    """The `Products` of an encoder on ``accelerator``. Weights are put into its memory once.

    ``clock`` tells for how many seconds the engine has run so far. ``measured`` has an entry for each run;
    ``reference_seconds`` is what the comparison took. ``tell`` is called after every run.
    """

    def __init__(
        self, accelerator: Accelerator, clock: Callable[[], float], tell: Callable[[Measured], None] | None = None
    ) -> None:
        self.accelerator, self.coding = accelerator, coding(accelerator.config)
        self.measured: list[Measured] = []
        self.reference_seconds = 0.0
        self._clock, self._tell = clock, tell
        self._weights: dict[tuple[int, str], tuple[DeviceArray, Array, Array]] = {}
        self._shapes: set[tuple[int, ...]] = set()

    def linear(self, layer: int, kind: str, x: Array, weights: Array) -> Array:
        """See `Products`."""
        a, row_units = self.coding.rows(x)
        if (layer, kind) not in self._weights:
            b, units = self.coding.columns(weights)
            self._weights[layer, kind] = self.accelerator.put(b, "b"), b, units
        there, b, column_units = self._weights[layer, kind]
        return self._run(layer, kind, a, b, there) * row_units * column_units

    def heads(self, layer: int, kind: str, a: Array, b: Array) -> Array:
        """See `Products`."""
        left, row_units = self.coding.rows(a)
        right, column_units = self.coding.columns(b)
        return self._run(layer, kind, left, right, right) * row_units * column_units

    def _run(self, layer: int, kind: str, a: Array, b: Array, operand: Array | DeviceArray) -> Array:
        shape = (*a.shape[-2:], b.shape[-1])
        before, begun = self._clock(), time.monotonic()
        found = self.accelerator.matmul(a, operand)
        seconds, simulated = time.monotonic() - begun, self._clock() - before
        begun = time.monotonic()
        differing = _differing(found, self._expected(a, b))
        self.reference_seconds += time.monotonic() - begun
        run = self.accelerator.last
        assert run is not None
        measured = Measured(
            layer, kind, found.size // (shape[0] * shape[2]), run.macs, run.counts["cycles"], found.size, differing,
            seconds, simulated, shape not in self._shapes,
        )  # fmt: skip
        self._shapes.add(shape)
        self.measured.append(measured)
        if self._tell is not None:
            self._tell(measured)
        return found.astype(np.float64)

    def _expected(self, a: Array, b: Array) -> Array:
        """What the arithmetic contract asks for, as the driver gives it."""
        config = self.accelerator.config
        point = binary_point(config, None)
        stacks = [each.reshape(-1, *each.shape[-2:]) for each in (a, b)]
        results = [
            product(config, to_codes("a", left, config.a, 0), to_codes("b", right, config.b, 0), _ZERO, point)
            for left, right in zip(*stacks, strict=True)
        ]
        return from_codes(np.stack(results).reshape(*a.shape[:-1], b.shape[-1]), config.acc, point)


_ZERO = np.zeros((1, 1), dtype=np.int64)


def _differing(found: Array, expected: Array) -> int:
    """How many bit patterns differ."""
    wanted = np.ascontiguousarray(expected, dtype=found.dtype)
    bits = f"u{found.dtype.itemsize}"
    return int(np.count_nonzero(np.ascontiguousarray(found).view(bits) != wanted.view(bits)))
