"""Waves of tiles, and what is dealt instead."""

from __future__ import annotations

import pytest

from tilewright.generators.config.engine import engine_config
from tilewright.generators.report.waves import Waves, dense, ways
from tilewright.generators.report.workload import Layer

SMALL = {"rows": 4, "cols": 4, "bus_bits": 64, "a_words": 96, "b_words": 32, "c_words": 24}


@pytest.mark.parametrize(
    ("tiles", "cores", "count", "last", "utilisation"),
    [
        (133, 132, 2, 1, 133 / 264),
        (132, 132, 1, 132, 1.0),
        (5, 4, 2, 1, 0.625),
        (8, 4, 2, 4, 1.0),
        (1, 16, 1, 1, 1 / 16),
        (7, 1, 7, 1, 1.0),
    ],
)
def test_waves(tiles: int, cores: int, count: int, last: int, utilisation: float) -> None:
    waves = Waves(tiles, cores)
    assert (waves.count, waves.last, waves.utilisation) == (count, last, utilisation)


def test_the_planner_has_no_part_filled_wave() -> None:
    config = engine_config(SMALL | {"cores": 4})
    alone, dealt, planned = ways(config, Layer("five tiles", 60, 4, 16))
    assert (alone.waves.tiles, alone.waves.cores, alone.busy) == (5, 1, 1.0)
    assert dealt.waves == Waves(5, 4) and dealt.busy < 0.8
    assert planned.waves == Waves(4, 4) and planned.busy > 0.95
    assert planned.cycles < 0.8 * dealt.cycles < alone.cycles


def test_matrices_begin_pages() -> None:
    product = dense(engine_config({}), Layer("odd", 3, 5000, 7))
    addresses = [view.box(0, 0, 1, 1)["address"] for view in (product.a, product.b, product.c)]
    assert addresses == [0, 4096, 4096 + 36864]
