"""The boards, as tables."""

from __future__ import annotations

from tilewright.fpga.boards.baud import divisor_of, error_of
from tilewright.fpga.boards.known import BOARDS
from tilewright.fpga.flow.flows import flow_of
from tilewright.fpga.flow.netlist import LEVELS
from tilewright.sim_tests.docs.pages import table


def board_table() -> str:
    """Pins, clock and UART of each board, and what becomes of a design for it."""
    rows = []
    for board in BOARDS.values():
        divisor = divisor_of(board.clock_hz, board.baud)
        error = error_of(board.clock_hz, board.baud, divisor)
        pins = ", ".join(f"{port} {pin}" for port, pin in board.pins.items())
        rows.append(
            (
                f"`{board.name}`",
                board.title,
                f"{board.part.family} {board.part.device}",
                f"{board.clock_hz / 1e6:g} MHz",
                pins,
                f"{board.baud:,} bits/s, {divisor} cycles a bit, {error:+.2%}",
                f"`{flow_of(board.part.family).final}`",
                LEVELS[board.part.family],
                f"`{board.load} FILE`",
            )
        )
    heads = ("`--board`", "board", "part", "clock", "pins", "UART", "file", "taken apart again", "loaded by")
    return table(heads, rows)
