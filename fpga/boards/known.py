"""The boards that designs are built for. Pins are those of the boards' schematics, as amaranth-boards has them, too."""

from __future__ import annotations

from tilewright.fpga.boards.board import Board
from tilewright.generators.config.errors import ConfigError, unknown

BOARDS = {
    board.name: board
    for board in (
        Board(
            name="icebreaker",
            title="iCEBreaker (iCE40UP5K)",
            family="ice40",
            device="up5k",
            package="sg48",
            clock_hz=12_000_000,
            clock="35",
            rx="6",
            tx="9",
            baud=1_000_000,
            load="openFPGALoader -b ice40_generic {file}",
        ),
    )
}


def board(name: str) -> Board:
    """The board of a name. Raises ConfigError."""
    if name not in BOARDS:
        raise ConfigError(unknown("board", name, tuple(BOARDS)))
    return BOARDS[name]
