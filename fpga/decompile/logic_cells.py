"""Logic cells of an iCE40: look-up table, carry, flip-flop."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.fpga.decompile.fabric import Configured, Fabric, Segment
from tilewright.fpga.decompile.icebox_database import icebox
from tilewright.fpga.decompile.table import expression

CELLS = 8
"""Of a tile."""


LogicCell = tuple[int, int, int]
"""Its tile, and its place there."""


def logic_cells(fabric: Fabric) -> Iterator[str]:
    """Verilog of all logic cells at which anything is."""
    cells = used_logic_cells(fabric)
    for x, y, cell in cells:
        if _bits(fabric, x, y, cell)[0]:
            fabric.driven(x, y, f"lutff_{cell}/cout")
    for x, y, cell in cells:
        yield from logic_cell(fabric, x, y, cell)


def used_logic_cells(fabric: Fabric) -> list[LogicCell]:
    """All at which anything is, in order."""
    return sorted({found for segment in fabric.segments() if (found := logic_cell_at(fabric, segment))})


def logic_cell_at(fabric: Configured, segment: Segment) -> LogicCell | None:
    """The cell whose pin a wire is."""
    x, y, name = segment
    found = re.match(r"lutff_(\d)/", name)
    return (x, y, int(found[1])) if found and (x, y) in fabric.chip.logic_tiles else None


def _bits(fabric: Configured, x: int, y: int, cell: int) -> tuple[bool, bool, bool, bool]:
    """Carry, flip-flop, it is set and not cleared, at once and not with the clock."""
    carry, register, to_one, at_once = icebox().get_lutff_seq_bits(fabric.chip.logic_tiles[x, y], cell)
    return carry == "1", register == "1", to_one == "1", at_once == "1"


def logic_cell(fabric: Configured, x: int, y: int, cell: int) -> Iterator[str]:
    """Verilog of one."""
    tile = fabric.chip.logic_tiles[x, y]
    carry, register, to_one, at_once = _bits(fabric, x, y, cell)
    inputs = [level(fabric.net(x, y, f"lutff_{cell}/in_{pin}"), "1'b0") for pin in range(4)]
    if carry:
        yield from _carry(fabric, x, y, cell, inputs[1], inputs[2])
    table = [bit == "1" for bit in icebox().get_lutff_lut_bits(tile, cell)]
    found = fabric.driven(x, y, f"lutff_{cell}/lout")
    out = fabric.driven(x, y, f"lutff_{cell}/out")
    yield f"assign n{found} = {expression(table, inputs[::-1])};"
    if not register:
        yield f"assign n{out} = n{found};"
        return
    clock, clear = (level(fabric.net(x, y, f"lutff_global/{name}"), "1'b0") for name in ("clk", "s_r"))
    enable = level(fabric.net(x, y, "lutff_global/cen"), "1'b1")
    edge = "negedge" if icebox().get_negclk_bit(tile) == "1" else "posedge"
    value, yes = f"1'b{int(to_one)}", f"if ({enable}) r{out} <= "
    yield f"reg r{out} = 1'b0; assign n{out} = r{out};"
    if clock == "1'b0":
        return
    if clear == "1'b0":
        yield f"always @({edge} {clock}) {yes}n{found};"
    elif at_once:
        yield f"always @({edge} {clock}, posedge {clear}) if ({clear}) r{out} <= {value}; else {yes}n{found};"
    else:
        yield f"always @({edge} {clock}) {yes}{clear} ? {value} : n{found};"


def _carry(fabric: Configured, x: int, y: int, cell: int, one: str, other: str) -> Iterator[str]:
    tile = fabric.chip.logic_tiles[x, y]
    if cell:
        comes = level(fabric.net(x, y, f"lutff_{cell - 1}/cout"), "1'b0")
    elif icebox().get_carry_cascade_bit(tile) == "1":
        comes = level(fabric.net(x, y, "carry_in_mux"), "1'b0")
    else:
        comes = f"n{fabric.driven(x, y, 'carry_in_mux')}"
        yield f"assign {comes} = 1'b{icebox().get_carry_bit(tile)};"
    out = fabric.driven(x, y, f"lutff_{cell}/cout")
    yield f"assign n{out} = ({one} & {other}) | (({one} | {other}) & {comes});"


def level(net: int | None, otherwise: str) -> str:
    """A net, or the level that a wire has at which nothing is."""
    return otherwise if net is None else f"n{net}"
