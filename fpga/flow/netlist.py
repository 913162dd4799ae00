"""The design that is in a build, as Verilog that simulates: the last file that can be read back."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

from tilewright.fpga.boards.board import Board
from tilewright.fpga.decompile.verilog import decompiled
from tilewright.fpga.flow.ice40 import ICEUNPACK
from tilewright.fpga.routed.ecp5 import routed_ecp5
from tilewright.fpga.routed.gowin import synthesised_gowin
from tilewright.fpga.routed.netlist import Netlist, read_netlist
from tilewright.generators.emit.cells import model
from tilewright.generators.scratch import scratch_folder

LEVELS = {
    "ice40": "the bitstream",
    "ecp5": "the netlist after place and route",
    "gowin": "the netlist after synthesis",
}
"""What is taken apart, by family."""
_NEXTPNR_TOP = "top"


def netlist(folder: Path, board: Board, top: str) -> dict[str, str]:
    """File name to text of module ``top``, with the ports of the board, and of the cells that it needs.

    Args:
        folder: with the files of a build.
        board: what it was built for.
        top: the name of its top module.

    Raises:
        ConfigError: a tool that it needs is not installed.
    """
    if board.part.family == "ice40":
        return {f"{top}.v": _bitstream(folder, board, top), "cells.v": _ice40_cells()}
    if board.part.family == "ecp5":
        text = routed_ecp5(folder / f"{top}.pnr.json", _NEXTPNR_TOP, top)
        return {f"{top}.v": text} | ({"MULT18X18D.v": model("MULT18X18D")} if "MULT18X18D" in text else {})
    return {f"{top}.v": synthesised_gowin(folder / f"{top}.json", top, top)}


def bitstream_text(folder: Path, top: str, work: Path) -> Path:
    """The bitstream of a build for the iCE40 in text form, written to ``work``."""
    shutil.copy(folder / f"{top}.bin", work)
    ICEUNPACK.run((f"{top}.bin", f"{top}.asc"), work)
    return work / f"{top}.asc"


def routed_netlist(folder: Path, top: str) -> Netlist:
    """The netlist of a build for the ECP5 after place and route."""
    return read_netlist(folder / f"{top}.pnr.json", _NEXTPNR_TOP)


def _bitstream(folder: Path, board: Board, top: str) -> str:
    with scratch_folder("bitstream") as work:
        return decompiled(bitstream_text(folder, top, work), board.part.package, board.pins, top)


def _ice40_cells() -> str:
    """Yosys' models of what is not written out."""
    found = importlib.util.find_spec("pyosys")
    assert found is not None and found.origin is not None
    cells = Path(found.origin).parent / "share" / "ice40" / "cells_sim.v"
    return "`define NO_ICE40_DEFAULT_ASSIGNMENTS\n" + cells.read_text(encoding="utf-8")
