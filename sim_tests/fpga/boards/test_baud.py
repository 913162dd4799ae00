"""Rates of UARTs: near enough, or refused with the nearest that are."""

from __future__ import annotations

import re

import pytest

from tilewright.fpga.boards.baud import MOST_ERROR, divisor_of, error_of
from tilewright.fpga.boards.known import BOARDS, board
from tilewright.generators.config.errors import ConfigError


@pytest.mark.parametrize(
    ("clock", "baud", "divisor"),
    [(12_000_000, 1_000_000, 12), (12_000_000, 115_200, 104), (25_000_000, 115_200, 217), (27_000_000, 3_000_000, 9)],
)
def test_the_nearest_whole_number(clock: int, baud: int, divisor: int) -> None:
    assert divisor_of(clock, baud) == divisor
    assert abs(error_of(clock, baud, divisor)) <= MOST_ERROR


@pytest.mark.parametrize("baud", [1_400_000, 1_150_000, 1_420_000])
def test_what_is_too_far_off_is_refused_with_what_is_not(baud: int) -> None:
    with pytest.raises(ConfigError, match=f"^baud must be within 1 % .*, got {baud}; ") as error:
        divisor_of(12_000_000, baud)
    near = [int(number) for number in re.findall(r"values are (\d+) and (\d+)$", str(error.value))[0]]
    assert near[0] < baud < near[1]
    for each in near:
        divisor_of(12_000_000, each)


@pytest.mark.parametrize(("baud", "nearest"), [(1, 184), (1_500_001, 1_500_000)])
def test_out_of_range(baud: int, nearest: int) -> None:
    with pytest.raises(ConfigError, match=f"got {baud}; nearest legal value is {nearest}$"):
        divisor_of(12_000_000, baud)
    divisor_of(12_000_000, nearest)


@pytest.mark.parametrize("name", BOARDS)
def test_boards_can_have_their_own_rate(name: str) -> None:
    found = board(name)
    divisor_of(found.clock_hz, found.baud)


def test_an_unknown_board() -> None:
    with pytest.raises(ConfigError, match=r"^board 'icebraker' does not exist; nearest is 'icebreaker'$"):
        board("icebraker")
