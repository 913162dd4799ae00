"""The top level of a board in simulation, behind its UART."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.fpga.boards.baud import divisor_of
from tilewright.fpga.flow.built import Built
from tilewright.fpga.flow.netlist import netlist
from tilewright.fpga.tops.board_design import board_design
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.hdl.link.uart_timing import LEAST_DIVISOR
from tilewright.sim_tests.harness import build
from tilewright.sim_tests.harness.uart_session import UartSession
from tilewright.sim_tests.simulate.uart_wire import UartWire

AWAKE = 300
"""Cycles after which a board has left its reset."""


def simulated_board(config: SystolicConfig, divisor: int = LEAST_DIVISOR) -> UartWire:
    """A core or an engine with a link of ``divisor`` cycles a bit."""
    design = board_design(config, divisor)
    return awake_board(design.files, design.top, divisor)


def simulated_build(built: Built) -> UartWire:
    """What a build has made, taken apart again."""
    divisor = divisor_of(built.board.clock_hz, built.baud)
    return awake_board(netlist(built.folder, built.board, built.top), built.top, divisor)


def awake_board(sources: Mapping[str, str], top: str, divisor: int) -> UartWire:
    """A top level with the ports of a board, after its reset; ``divisor``: cycles of a bit."""
    made = build(sources, top, reset=None, inputs=[("rx", 1)], outputs=[("tx", 1)])
    session = UartSession(made, divisor)
    while session.cycle < AWAKE:
        session.receive(2, AWAKE - session.cycle)  # what comes of a line that is not at rest yet
    return UartWire(session)
