"""Random ways from accumulators to results, of all kinds that an engine has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.product import Added, Finish
from tilewright.hdl.engine.records import Activation
from tilewright.hdl.engine.residual_add import factor_bits
from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.system.engine_places import Places

LARGEST_WIDTH = 10
"""Of a picture that is pooled."""


class Endings:
    """Draws endings for the engine that ``config`` describes."""

    def __init__(self, config: EngineConfig, rng: np.random.Generator) -> None:
        self.config, self.rng = config, rng

    def pool_width(self) -> int:
        """Width of the picture that a product makes, where it is pooled; else 0."""
        words, pads = self.config.pool_words, self.config.scratchpads
        # A tile is whole pairs of lines, with a bias row at times; one lies in each region of C, and two of A.
        largest = min(LARGEST_WIDTH, 2 * words, (pads.c.words - 1) // 2, pads.a.words // 4)
        if largest < 2 or self.rng.random() > 0.3:
            return 0
        return 2 * int(self.rng.integers(1, largest // 2 + 1))

    def widest(self, width: int) -> int:
        """Columns that a tile of such a picture may have, so that there is one."""
        pads = self.config.scratchpads
        if not width:
            return 65_535
        return pads.c.lanes * min(2 * self.config.pool_words // width, pads.c.words // (2 * width + 1))

    def finish(self, places: Places, shape: tuple[int, int], width: int) -> Finish:
        """How results of ``shape`` are finished, pooled where ``width`` is not 0."""
        rng, out = self.rng, self.config.result
        if not isinstance(out, IntFormat):
            known = (Activation.NONE, Activation.RELU, *(Activation[name.upper()] for name in self.config.functions))
            return Finish(activation=int(rng.choice(known)), pool_width=width)
        multipliers, shifts = self.scales(1)
        found = Finish(int(multipliers[0]), int(shifts[0]), self._value(), *self._limits(), pool_width=width)
        if self.config.row_sums and rng.random() < 0.4:
            assert isinstance(self.config.b, IntFormat)
            zero = int(rng.integers(self.config.b.min, self.config.b.max, endpoint=True))
            found = replace(found, b_zero=zero)
        if self.config.adds and rng.random() < 0.4:
            found = replace(found, added=self._added(places, shape, out))
        if self.config.table and rng.random() < 0.4:
            found = replace(found, table=places.filled(1, 1 << out.width, out).address)
        return found

    def scales(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Multipliers and shifts that mostly bring sums into the range of results; also the extremes."""
        rng, a, b, out = self.rng, self.config.a, self.config.b, self.config.result
        assert isinstance(a, IntFormat) and isinstance(b, IntFormat) and isinstance(out, IntFormat)
        if rng.random() < 0.1:
            return rng.choice((0, 1, (1 << 31) - 1), count), rng.choice((0, 1, 31, 62), count)
        shift = 31 + a.width + b.width - out.width
        return rng.integers(1 << 30, 1 << 31, count), np.clip(rng.integers(shift - 3, shift + 3, count), 0, 62)

    def _added(self, places: Places, shape: tuple[int, int], out: IntFormat) -> Added:
        rng = self.rng
        bits = factor_bits(out)
        low, high = self._limits()
        extreme = rng.random() < 0.1
        fields = {
            "left_multiplier": (1 << bits) - 1 if extreme else int(rng.integers(0, 1 << bits)),
            "right_multiplier": (1 << bits) - 1 if rng.random() < 0.5 else int(rng.integers(0, 1 << bits)),
            "sum_multiplier": (1 << 31) - 1 if extreme else int(rng.integers(1 << 30, 1 << 31)),
            "sum_shift": 0 if extreme else min(62, 31 + bits + int(rng.integers(-1, 3))),
            "right_zero": self._value(),
            "sum_zero": self._value(),
            "sum_low": low,
            "sum_high": high,
        }
        return Added(places.filled(*shape, out), fields)

    def _value(self) -> int:
        out = self.config.result
        assert isinstance(out, IntFormat)
        return int(self.rng.integers(out.min, out.max, endpoint=True))

    def _limits(self) -> tuple[int, int]:
        """The range of results, or a part of it."""
        out = self.config.result
        assert isinstance(out, IntFormat)
        low, high = sorted((self._value(), self._value()))
        return (low, high) if self.rng.random() < 0.4 else (out.min, out.max)
