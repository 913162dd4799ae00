"""The estimate against measured figures, and the size above which it is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.generators.config.estimate import estimate, needs_force
from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit.elaborate import modules


@pytest.mark.parametrize(("dataflow", "luts"), [("ws", 26), ("is", 26), ("os", 70), ("any", 105)])
def test_luts_of_one_element_are_those_of_the_area_table(dataflow: str, luts: int) -> None:
    config = systolic_config({"rows": 8, "cols": 8, "dataflow": dataflow})
    assert estimate(config).luts == 64 * luts


def test_vectors_add_multipliers_and_adders() -> None:
    one, four = (estimate(systolic_config({"dataflow": "os", "vector": vector})) for vector in (1, 4))
    assert (one.multipliers, four.multipliers) == (256, 1024)
    assert four.luts - one.luts == 256 * 3 * 16


@pytest.mark.parametrize(
    ("fields", "needed"),
    [
        ({"rows": 128, "cols": 128}, False),
        ({"rows": 129, "cols": 128}, True),
        ({"rows": 64, "cols": 64, "vector": 4}, False),
        ({"rows": 64, "cols": 64, "vector": 8}, True),
        ({"rows": 256, "cols": 256}, True),
    ],
)
def test_force_is_asked_for_above_128_by_128(fields: dict[str, Any], needed: bool) -> None:
    assert needs_force(systolic_config(fields)) is needed


@pytest.mark.parametrize(
    "fields",
    [
        {"dataflow": "ws", "rows": 4, "cols": 4},
        {"dataflow": "os", "rows": 16, "cols": 16},
        {"dataflow": "is", "rows": 8, "cols": 32},
        {"dataflow": "any", "rows": 4, "cols": 4},
        {"dataflow": "ws", "rows": 8, "cols": 8, "vector": 8},
        {"dataflow": "os", "rows": 16, "cols": 16, "product": "array"},
    ],
)
def test_bytes_are_good_to_a_factor_of_two(fields: dict[str, Any]) -> None:
    config = systolic_config(fields)
    written = sum(len(module.text) for module in modules(config))
    assert 0.5 <= estimate(config).verilog_bytes / written <= 2
