"""A design for the ECP5 after place and route as Verilog that simulates.

Pins at which nothing is read 1 in look-up tables and as clock enables, and 0 as resets: so the fabric has them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tilewright.fpga.decompile.table import expression
from tilewright.fpga.routed.ecp5_memory import block_ram, ram_writer
from tilewright.fpga.routed.netlist import Cell, NotTranslated, module_text, read_netlist


def routed_ecp5(file: Path, top: str, name: str) -> str:
    """Verilog of what nextpnr-ecp5 wrote with ``--write``.

    Args:
        file: the netlist.
        top: its top module; its ports have one bit.
        name: of the module that is given.

    Raises:
        NotTranslated: a cell is used in a way that is not known here.
    """
    netlist = read_netlist(file, top)
    ports = {port: net for port, (_, net) in netlist.ports.items()}
    return module_text(netlist, name, itertools.chain.from_iterable(cell_lines(cell, ports) for cell in netlist.cells))


def cell_lines(cell: Cell, ports: Mapping[str, str]) -> Iterator[str]:
    """Verilog of a cell; ``ports``: their nets."""
    if cell.kind == "TRELLIS_IO":
        yield from _pad(cell, ports)
    elif cell.kind in _CELLS:
        yield from _CELLS[cell.kind](cell)
    else:
        raise NotTranslated(f"{cell.kind} {cell.name} is of no type that is known")


def _pad(cell: Cell, ports: Mapping[str, str]) -> Iterator[str]:
    port = next(name for name, net in ports.items() if net == cell.nets["B"])
    if cell.text("DIR", "INPUT") == "INPUT":
        yield f"assign {cell.nets['O']} = {port};"
    elif cell.text("DIR", "") == "OUTPUT" and "T" not in cell.nets:
        yield f"assign {port} = {cell.pin('I', 0)};"
    else:
        raise NotTranslated(f"pad {cell.name} is no plain input or output")


def _comb(cell: Cell) -> Iterator[str]:
    mode = cell.text("MODE", "LOGIC")
    if mode == "RAMW_BLOCK":
        return
    own = f"f{cell.number}"
    if mode == "DPRAM":
        yield from _distributed_ram(cell, own)
    elif mode == "CCU2":
        yield from _carry(cell, own)
    elif mode == "LOGIC":
        yield f"wire {own} = {_table(cell, 16, 'DCBA')};"
    else:
        raise NotTranslated(f"{cell.kind} {cell.name} has MODE {mode}")
    if "F" in cell.nets:
        yield f"assign {cell.nets['F']} = {own};"
    if "OFX" in cell.nets:
        low, high = ("FXA", "FXB") if "FXA" in cell.nets else ("F", "F1")
        first = own if low == "F" else cell.pin(low, 0)
        yield f"assign {cell.nets['OFX']} = {cell.pin('M', 0)} ? {cell.pin(high, 0)} : {first};"


def _table(cell: Cell, entries: int, pins: str) -> str:
    """The first entries of a cell's table, of ``pins``, the one of most weight first."""
    bits = [bit == "1" for bit in reversed(cell.parameters["INITVAL"])]
    return expression(bits[:entries], [cell.pin(pin, 1) for pin in pins])


def _carry(cell: Cell, own: str) -> Iterator[str]:
    """Half a CCU2C: the lower quarter of its table generates what the whole does not propagate."""
    comes, inject = cell.pin("FCI", 0), cell.text("CCU2_INJECT1", "NO") == "YES"
    quarter = "1'b0" if inject else _table(cell, 4, "BA")
    yield f"wire p{cell.number} = {_table(cell, 16, 'DCBA')};"
    added = "1'b0" if inject else comes
    yield f"wire {own} = p{cell.number} ^ {added};"
    if "FCO" in cell.nets:
        yield f"assign {cell.nets['FCO']} = p{cell.number} ? {comes} : {quarter};"


def _distributed_ram(cell: Cell, own: str) -> Iterator[str]:
    memory, address = f"m{cell.number}", ", ".join(cell.pin(pin, 1) for pin in "ACBD")
    yield f"reg [15:0] {memory} = 16'b{cell.parameters['INITVAL']};"
    write = cell.bus("WAD", 4, 0)
    yield f"always @(posedge {cell.pin('WCK', 0)}) if ({cell.pin('WRE', 0)}) {memory}[{write}] <= {cell.pin('WD', 0)};"
    yield f"wire {own} = {memory}[{{{address}}}];"


def _flip_flop(cell: Cell) -> Iterator[str]:
    if "Q" not in cell.nets:
        return
    out = f"q{cell.number}"
    value = f"1'b{int(cell.text('REGSET', 'RESET') == 'SET')}"
    data = cell.pin("DI" if cell.text("SD", "1") == "1" else "M", 0)
    clock, clear, enable = cell.pin("CLK", 0), cell.pin("LSR", 0), cell.pin("CE", 1)
    if cell.text("LSRMUX", "LSR") == "INV" and "LSR" not in cell.nets:
        clear = "1'b0"
    yield f"reg {out} = {value}; assign {cell.nets['Q']} = {out};"
    edges = f"posedge {clock}" + (f" or posedge {clear}" if cell.text("SRMODE", "") == "ASYNC" else "")
    yield f"always @({edges}) if ({clear}) {out} <= {value}; else if ({enable}) {out} <= {data};"


def _multiplier(cell: Cell) -> Iterator[str]:
    """An instance of the cell, of which there is a model: registers are those of CLK0."""
    cell.must_be(SOURCEB_MODE="B_SHIFT", MULT_BYPASS="DISABLED", RESETMODE="SYNC")
    parameters = []
    for register in ("REG_INPUTA", "REG_INPUTB", "REG_PIPELINE", "REG_OUTPUT"):
        if cell.text(f"{register}_CLK", "NONE") != "NONE":
            cell.must_be(**{f"{register}_CLK": "CLK0"})
            names = {
                "CLK": "CLK0",
                "CE": cell.text(f"{register}_CE", "CE0"),
                "RST": cell.text(f"{register}_RST", "RST0"),
            }
            parameters += [f'.{register}_{part}("{name}")' for part, name in names.items()]
    levels = {f"{side}{bit}": 0 for side in "AB" for bit in range(18)} | {"CLK0": 0}
    levels |= dict.fromkeys(("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB", "RST0", "RST1", "RST2", "RST3"), 0)
    levels |= dict.fromkeys(("CE0", "CE1", "CE2", "CE3"), 1)
    pins = [f".{pin}({cell.pin(pin, level)})" for pin, level in levels.items()]
    pins += [f".P{bit}({cell.nets[f'P{bit}']})" for bit in range(36) if f"P{bit}" in cell.nets]
    yield f"MULT18X18D #({', '.join(parameters)}) c{cell.number} ({', '.join(pins)});"


def _clock_buffer(cell: Cell) -> Iterator[str]:
    yield f"assign {cell.nets['CLKO']} = {cell.pin('CLKI', 0)};"


_CELLS: dict[str, Callable[[Cell], Iterator[str]]] = {
    "TRELLIS_COMB": _comb,
    "TRELLIS_FF": _flip_flop,
    "TRELLIS_RAMW": ram_writer,
    "MULT18X18D": _multiplier,
    "DP16KD": block_ram,
    "DCCA": _clock_buffer,
}
