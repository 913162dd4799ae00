"""What is known of each board goes together."""

from __future__ import annotations

from importlib import resources

import pytest

from tilewright.fpga.boards.baud import MOST_ERROR, divisor_of, error_of
from tilewright.fpga.boards.known import BOARDS, board
from tilewright.fpga.boards.preset import LARGEST, board_fields, largest_fields
from tilewright.fpga.flow.flows import flow_of
from tilewright.fpga.tops.identity import configuration, identity
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import systolic_config

PRESETS = resources.files("tilewright.fpga.boards.presets")


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_has_a_core_pins_and_a_rate(name: str) -> None:
    found = board(name)
    config = systolic_config(board_fields(found))
    assert config.product == "core" and configuration(identity(config)) == config
    assert set(found.pins) == {"clk", "rx", "tx"} and len(set(found.pins.values())) == 3
    divisor = divisor_of(found.clock_hz, found.baud)
    assert abs(error_of(found.clock_hz, found.baud, divisor)) <= MOST_ERROR
    constraints = "".join(flow_of(found.part.family).files(found, "top").values())
    assert all(pin in constraints for pin in found.pins.values())


@pytest.mark.parametrize("name", [name for name in BOARDS if (PRESETS / f"{name}-{LARGEST}.toml").is_file()])
def test_the_core_that_fills_a_board_is_larger_than_its_own(name: str) -> None:
    largest, own = systolic_config(largest_fields(board(name))), systolic_config(board_fields(board(name)))
    assert largest.product == "core" and configuration(identity(largest)) == largest
    assert largest.rows * largest.cols > own.rows * own.cols


def test_a_board_that_its_own_core_fills() -> None:
    with pytest.raises(ConfigError, match=r"^--preset max must be for a board that more fits than .*, got icebreaker;"):
        largest_fields(board("icebreaker"))


def test_a_board_that_nobody_knows() -> None:
    with pytest.raises(ConfigError, match=r"^board 'ulx4s' does not exist; nearest is 'ulx3s'$"):
        board("ulx4s")
