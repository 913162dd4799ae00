"""Conversions of integers to floats; those of floats to integers are in ``test_cast.py``."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.hdl.arith.cast_integer import IntegerToFloat
from tilewright.hdl.numeric import IntFormat, from_integer
from tilewright.sim_tests.hdl.arith.float_blocks import CASTS_OF_INTEGERS
from tilewright.sim_tests.hdl.arith.float_results import results
from tilewright.sim_tests.hdl.numeric.compare import assert_codes


@pytest.mark.parametrize("source", CASTS_OF_INTEGERS, ids=str)
def test_every_short_integer_and_many_long_ones(source: IntFormat) -> None:
    group = CASTS_OF_INTEGERS[source]
    if source.width <= 16:
        given = np.arange(source.min, source.max + 1)
    else:
        rng = np.random.default_rng(source.width)
        ends = [end + step for end in (source.min, 0, source.max) for step in range(-300, 300)]
        # Of any length: ties of all formats and what is beside them.
        powers = [int(part) << shift for shift in range(source.width) for part in rng.integers(-(1 << 26), 1 << 26, 40)]
        near = [value + step for value in powers for step in (-1, 0, 1)]
        given = np.array([value for value in ends + near if source.min <= value <= source.max], dtype=np.int64)
    latencies = {label: unit.latency for label, unit in group.units.items()}
    for label, got in results(group.name, {"value": given}, latencies).items():
        unit = group.units[label]
        assert isinstance(unit, IntegerToFloat)
        assert_codes(unit.target.name, got, from_integer(given, source, unit.target, unit.overflow), given)
