"""a core of floats and the smallest engine on a ULX3S: what they take of the part, their clocks, products in RTL"""

from __future__ import annotations

import sys

from tilewright.fpga.boards.known import board
from tilewright.fpga.flow.failed import BuildFailed
from tilewright.fpga.flow.flows import flow_of
from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.selftest import selftest
from tilewright.generators.config.presets import engine_preset, preset
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.board_figures import figures_of, remembered_build
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.simulate.board import simulated_board

BOARD, PRODUCTS, SEED = "ulx3s", 20, 1
CONFIGS = {
    "any-4x4-bf16": preset("any-4x4-bf16").config,
    "engine-4x4-int8-32bit": engine_preset("engine-4x4-int8-32bit").config,
}


def main() -> int:
    """Each is built, or found where it was; products go over the UART's pins of the same top level in RTL."""
    chosen = board(BOARD)
    figures = []
    for name, config in CONFIGS.items():
        print(f"{name} ...", file=sys.stderr)
        built = remembered_build(chosen, config)
        if isinstance(built, BuildFailed):
            print(f"{name}: {built}", file=sys.stderr)
        figures += figures_of(name, built)
        with Accelerator.behind(simulated_board(config), config) as accelerator:
            compared = selftest(accelerator, PRODUCTS, seed=SEED).results
        figures.append(Figure(name, f"results of {PRODUCTS} products in RTL, all right", compared, "", least=1))
    packages = sorted({tool.package for tool in flow_of(chosen.part.family).tools})
    return record("board-designs", f"Designs for the {chosen.title}", figures, packages=packages)


if __name__ == "__main__":
    sys.exit(main())
