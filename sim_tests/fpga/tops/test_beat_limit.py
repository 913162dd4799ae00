"""Cores that are too wide for a link are refused, with what would fit; what fits can be written and read."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.fpga.tops.beat_limit import MOST_BEAT, check_beats, widest_beat
from tilewright.fpga.tops.board_design import board_design
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import systolic_config
from tilewright.hdl.link.frame import MOST_PAYLOAD


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"rows": 1, "cols": 64},
            "cols must be smaller for a board, got 64: read_c_beats has beats of 265 bytes, and at ",
        ),
        (
            {"rows": 256, "cols": 1, "max_m": 255},
            "rows must be smaller for a board, got 256: load_a_beats has beats of ",
        ),
        (
            {"rows": 256, "cols": 256},
            "rows and cols must be smaller for a board, got 256 and 256: read_c_beats has beats",
        ),
    ],
)
def test_cores_that_are_too_wide(fields: dict[str, Any], sentence: str) -> None:
    config = systolic_config(fields)
    with pytest.raises(ConfigError) as told:
        board_design(config, 25)
    assert str(told.value).startswith(sentence) and "\n" not in str(told.value)


@pytest.mark.parametrize(("field", "value", "nearest"), [("cols", 64, 59), ("rows", 256, 218)])
def test_the_nearest_value_is_the_largest_that_fits(field: str, value: int, nearest: int) -> None:
    fields = {"rows": 1, "cols": 1, "max_m": 255} | {field: value}
    with pytest.raises(ConfigError, match=f"; nearest legal value is {nearest}$"):
        check_beats(systolic_config(fields))
    check_beats(systolic_config(fields | {field: nearest}))
    assert widest_beat(systolic_config(fields | {field: nearest + 1}))[0] > MOST_BEAT == MOST_PAYLOAD - 1
