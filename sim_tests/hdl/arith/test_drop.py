"""Numbers without their last places, and comparisons with constants, against Python's integers."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.sim_tests.hdl.arith.unit_bench import bench
from tilewright.sim_tests.hdl.arith.window_blocks import DROPS, EXCEEDS


@pytest.mark.parametrize("label", DROPS)
def test_every_number_of_places(label: str) -> None:
    block, rng = DROPS[label], np.random.default_rng(3)
    limit = 1 << (block.value_width - 1)
    values = (rng.integers(-limit, limit, 300) >> rng.integers(0, block.value_width, 300)).tolist()
    if limit <= 1 << 11:
        values = list(range(-limit, limit))
    most = (1 << block.places_width) - 1
    cases = [(value, places) for value in values for places in range(most + 1)]
    got = bench().wiggle(label, {"value": [value for value, _ in cases], "places": [places for _, places in cases]})
    answers = zip(got["whole"], got["half"], got["behind"], got["too_large"], strict=True)
    reach = 1 << (block.width - 1)
    for (value, places), (whole, half, behind, large) in zip(cases, answers, strict=True):
        exact, left = value >> places, value & ((1 << places) - 1)
        assert large == (not -reach <= exact < reach), (value, places)
        assert large or whole == exact % (1 << block.width), (value, places)
        assert half == (left >> (places - 1) if places else 0), (value, places)
        assert behind == (left & ((1 << places >> 1) - 1) > 0 if places else 0), (value, places)


def test_every_constant_of_four_bits() -> None:
    values = range(1 << EXCEEDS.width)
    half = len(values) // 2
    got = bench().wiggle("exceeds", {"value": values})
    for value in values:
        signed = value - 2 * half if value >= half else value
        assert got["as_unsigned"][value] == sum((value > limit) << limit for limit in values)
        assert got["as_signed"][value] == sum((signed > limit) << limit + half for limit in range(-half, half))
