"""every board's own core, built anew: processor seconds, what it takes of the part, the clock it reaches"""

from __future__ import annotations

import sys

from tilewright.fpga.boards.known import BOARDS
from tilewright.fpga.flow.failed import BuildFailed
from tilewright.fpga.flow.flows import flow_of
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.board_figures import cpu_minutes, figures_of, fresh_build
from tilewright.sim_tests.benchmarks.record import record

MOST_MINUTES = 15


def main() -> int:
    """One after the other; WebAssembly is compiled before, or the first build of a family takes longer."""
    builds, figures = [], []
    for board in BOARDS.values():
        print(f"{board.title} ...", file=sys.stderr)
        built = fresh_build(board)
        if isinstance(built, BuildFailed):
            print(f"{board.title}: {built}", file=sys.stderr)
        builds.append(built)
        figures += figures_of(board.title, built)
    figures.append(Figure("all that were built", "processor time", cpu_minutes(builds), "min", most=MOST_MINUTES))
    packages = sorted({tool.package for board in BOARDS.values() for tool in flow_of(board.part.family).tools})
    return record("boards", "Boards, each with its own core", figures, simulated=False, packages=packages)


if __name__ == "__main__":
    sys.exit(main())
