"""The boards that designs are built for."""

from __future__ import annotations

from tilewright.fpga.boards.board import Board, Part
from tilewright.generators.config.errors import ConfigError, unknown

BOARDS = {
    board.name: board
    for board in (
        Board(
            name="icebreaker",
            title="iCEBreaker",
            part=Part("ice40", "up5k", "sg48"),
            clock_hz=12_000_000,
            baud=1_000_000,
            pins={"clk": "35", "rx": "6", "tx": "9"},
            load="openFPGALoader -b ice40_generic",
        ),
        Board(
            name="ulx3s",
            title="ULX3S-85F",
            part=Part("ecp5", "85k", "CABGA381", "6"),
            clock_hz=25_000_000,
            baud=1_000_000,
            pins={"clk": "G2", "rx": "M1", "tx": "L4"},
            load="openFPGALoader -b ulx3s",
        ),
        Board(
            name="orangecrab",
            title="OrangeCrab r0.2-85F",
            part=Part("ecp5", "85k", "CSFBGA285", "8"),
            clock_hz=48_000_000,
            baud=1_000_000,
            pins={"clk": "A9", "rx": "N17", "tx": "M18"},
            load="openFPGALoader -b orangeCrab",
        ),
        Board(
            name="colorlight-i5",
            title="Colorlight i5",
            part=Part("ecp5", "25k", "CABGA381", "6"),
            clock_hz=25_000_000,
            baud=1_000_000,
            pins={"clk": "P3", "rx": "H18", "tx": "J17"},
            load="openFPGALoader -b colorlight-i5",
        ),
        Board(
            name="tang-nano-9k",
            title="Tang Nano 9K",
            part=Part("gowin", "GW1N-9C", "GW1NR-LV9QN88PC6/I5"),
            clock_hz=27_000_000,
            baud=1_000_000,
            pins={"clk": "52", "rx": "18", "tx": "17"},
            load="openFPGALoader -b tangnano9k",
        ),
        Board(
            name="tang-nano-20k",
            title="Tang Nano 20K",
            part=Part("gowin", "GW2A-18C", "GW2AR-LV18QN88C8/I7"),
            clock_hz=27_000_000,
            baud=1_000_000,
            pins={"clk": "4", "rx": "70", "tx": "69"},
            load="openFPGALoader -b tangnano20k",
        ),
    )
}


def board(name: str) -> Board:
    """The board of a name. Raises ConfigError."""
    if name not in BOARDS:
        raise ConfigError(unknown("board", name, tuple(BOARDS)))
    return BOARDS[name]
