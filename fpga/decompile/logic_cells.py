"""Logic cells of an iCE40: look-up table, carry, flip-flop."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.fpga.decompile.fabric import Fabric
from tilewright.fpga.decompile.icebox_database import icebox
from tilewright.fpga.decompile.table import expression

CELLS = 8
"""Of a tile."""


def logic_cells(fabric: Fabric) -> Iterator[str]:
    """Verilog of all logic cells at which anything is."""
    cells = set()
    for x, y, name in fabric.segments():
        found = re.match(r"lutff_(\d)/", name)
        if found and (x, y) in fabric.chip.logic_tiles:
            cells.add((x, y, int(found[1])))
    carries = {cell for cell in cells if _bits(fabric, *cell)[0]}
    for x, y, cell in sorted(carries):
        fabric.driven(x, y, f"lutff_{cell}/cout")
    for x, y, cell in sorted(cells):
        yield from _cell(fabric, x, y, cell)


def _bits(fabric: Fabric, x: int, y: int, cell: int) -> tuple[bool, bool, bool, bool]:
    """Carry, flip-flop, it is set and not cleared, at once and not with the clock."""
    carry, register, to_one, at_once = icebox().get_lutff_seq_bits(fabric.chip.logic_tiles[x, y], cell)
    return carry == "1", register == "1", to_one == "1", at_once == "1"


def _cell(fabric: Fabric, x: int, y: int, cell: int) -> Iterator[str]:
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
    if at_once:
        yield f"always @({edge} {clock}, posedge {clear}) if ({clear}) r{out} <= {value}; else {yes}n{found};"
    else:
        yield f"always @({edge} {clock}) {yes}{clear} ? {value} : n{found};"


def _carry(fabric: Fabric, x: int, y: int, cell: int, one: str, other: str) -> Iterator[str]:
    tile = fabric.chip.logic_tiles[x, y]
    if cell:
        comes = level(fabric.net(x, y, f"lutff_{cell - 1}/cout"), "1'b0")
    else:
        comes = f"n{fabric.driven(x, y, 'carry_in_mux')}"
        if icebox().get_carry_cascade_bit(tile) == "0":
            yield f"assign {comes} = 1'b{icebox().get_carry_bit(tile)};"
    out = fabric.driven(x, y, f"lutff_{cell}/cout")
    yield f"assign n{out} = ({one} & {other}) | (({one} | {other}) & {comes});"


def level(net: int | None, otherwise: str) -> str:
    """A net, or the level that a wire has at which nothing is."""
    return otherwise if net is None else f"n{net}"
