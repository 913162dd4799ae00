"""The one build that the tests of float units, windows and requantisers share."""

from __future__ import annotations

from functools import cache

from tilewright.sim_tests.drivers.side_by_side import Bench
from tilewright.sim_tests.hdl.arith import float_blocks, window_blocks


@cache
def bench() -> Bench:
    """The build."""
    return Bench("unit_bench", float_blocks.blocks() | window_blocks.blocks())
