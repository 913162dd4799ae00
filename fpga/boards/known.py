"""The boards that designs are built for."""

from __future__ import annotations

from tilewright.fpga.boards.board import Board
from tilewright.generators.config.errors import ConfigError, unknown

BOARDS = {
    board.name: board
    for board in (
        Board(
            name="icebreaker",
            clock_hz=12_000_000,
            baud=1_000_000,
        ),
    )
}


def board(name: str) -> Board:
    """The board of a name. Raises ConfigError."""
    if name not in BOARDS:
        raise ConfigError(unknown("board", name, tuple(BOARDS)))
    return BOARDS[name]
