"""What is known of each board goes together."""

from __future__ import annotations

import pytest

from tilewright.fpga.boards.baud import MOST_ERROR, divisor_of, error_of
from tilewright.fpga.boards.known import BOARDS, board
from tilewright.fpga.boards.preset import board_fields
from tilewright.fpga.flow.flows import flow_of
from tilewright.fpga.tops.identity import configuration, identity
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import systolic_config


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


def test_a_board_that_nobody_knows() -> None:
    with pytest.raises(ConfigError, match=r"^board 'ulx4s' does not exist; nearest is 'ulx3s'$"):
        board("ulx4s")
