"""The model of time against RTL: any tilings of any products, on memory of a fixed latency."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from tilewright.sim_tests.benchmarks.engine_points import compared, picture_points, points
from tilewright.sim_tests.system.engine_designs import gate_engines

PRODUCTS, PICTURES = 10, 5
NEAR = 1.0
"""Percent by which a prediction may miss."""
EXACT = 0.3
"""Of the predictions, at least."""


@pytest.mark.parametrize("name", gate_engines())
def test_predicted_cycles_are_those_of_rtl(name: str) -> None:
    design, rng = gate_engines()[name], np.random.default_rng(len(name))
    every = list(islice(points(design.config, rng), PRODUCTS)) + list(
        islice(picture_points(design.config, rng), PICTURES)
    )
    found = [compared(point, design.build) for point in every]
    assert [str(each) for each in found if abs(each.percent) > NEAR] == []
    assert sum(each.measured == each.predicted for each in found) >= EXACT * len(found)
