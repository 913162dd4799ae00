"""A design for Gowin's parts after synthesis as Verilog that simulates.

After place and route there is no way back: Yosys cannot read what nextpnr writes for these parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tilewright.fpga.decompile.table import expression
from tilewright.fpga.routed.block_ram import Port, Ram
from tilewright.fpga.routed.netlist import Cell, Netlist, NotTranslated, module_text, read_netlist

_ROWS, _ROW_BYTES = 64, 32
_MEANWHILE = ("nothing", "new", "old")


def synthesised_gowin(file: Path, top: str, name: str) -> str:
    """Verilog of what Yosys' ``synth_gowin`` wrote as JSON.

    Args:
        file: the netlist.
        top: its top module; its ports have one bit.
        name: of the module that is given.

    Raises:
        NotTranslated: a cell is used in a way that is not known here.
    """
    netlist = read_netlist(file, top)
    return module_text(netlist, name, _lines(netlist))


def _lines(netlist: Netlist) -> Iterator[str]:
    for port, (direction, net) in netlist.ports.items():
        yield f"assign {port} = {net};" if direction == "output" else f"assign {net} = {port};"
    for cell in netlist.cells:
        if cell.kind not in _CELLS:
            raise NotTranslated(f"{cell.kind} {cell.name} is of no type that is known")
        yield from _CELLS[cell.kind](cell)


def _buffer(cell: Cell) -> Iterator[str]:
    yield f"assign {cell.nets['O']} = {cell.pin('I', 0)};"


def _constant(cell: Cell) -> Iterator[str]:
    for pin, net in cell.nets.items():
        yield f"assign {net} = 1'b{int(pin == 'V')};"


def _table(cell: Cell) -> Iterator[str]:
    pins = [cell.pin(f"I{pin}", 0) for pin in reversed(range(int(cell.kind.removeprefix("LUT"))))]
    bits = cell.parameters["INIT"].zfill(1 << len(pins))[-(1 << len(pins)) :]
    yield f"assign {cell.nets['F']} = {expression([bit == '1' for bit in reversed(bits)], pins)};"


def _multiplexer(cell: Cell) -> Iterator[str]:
    yield f"assign {cell.nets['O']} = {cell.pin('S0', 0)} ? {cell.pin('I1', 0)} : {cell.pin('I0', 0)};"


def _flip_flop(cell: Cell) -> Iterator[str]:
    """DFF, then E: it has an enable; S, R: set or reset with the clock; P, C: at once."""
    kind = cell.kind.removeprefix("DFF")
    pin = {"S": "SET", "R": "RESET", "P": "PRESET", "C": "CLEAR"}.get(kind[:1], "")
    out, value = f"q{cell.number}", f"1'b{int(kind[:1] in ('S', 'P') and bool(kind))}"
    first = cell.parameters.get("INIT", value[-1])[-1]
    take = f"{out} <= {cell.pin('D', 0)};"
    if kind.endswith("E"):
        take = f"if ({cell.pin('CE', 0)}) {take}"
    edges = f"posedge {cell.pin('CLK', 0)}" + (f" or posedge {cell.pin(pin, 0)}" if kind[:1] in ("P", "C") else "")
    if pin:
        take = f"if ({cell.pin(pin, 0)}) {out} <= {value}; else {take}"
    yield f"reg {out} = 1'b{first if first in '01' else value[-1]}; assign {cell.nets['Q']} = {out};"
    yield f"always @({edges}) {take}"


def _carry(cell: Cell) -> Iterator[str]:
    """A bit of a carry chain: what it propagates, and what it gives where it does not."""
    i0, i1, i3, comes = (cell.pin(pin, 0) for pin in ("I0", "I1", "I3", "CIN"))
    mode = cell.number_of("ALU_MODE")
    ways = {
        0: (f"{i0} ^ {i1}", i0),
        1: (f"{i0} ^ ~{i1}", i0),
        2: (f"{i3} ? {i0} ^ {i1} : {i0} ^ ~{i1}", i0),
        3: (f"{i0} ^ ~{i1}", "1'b1"),
        4: (f"{i0} ^ ~{i1}", i0),
        5: (f"~{i0} ^ {i1}", i1),
        9: (f"({i0} & {i1}) ^ {i3}", f"{i0} & {i1}"),
    }
    if mode not in ways:
        raise NotTranslated(f"{cell.kind} {cell.name} has mode {mode}")
    propagate, generate = ways[mode]
    yield f"wire p{cell.number} = {propagate};"
    if "SUM" in cell.nets:
        yield f"assign {cell.nets['SUM']} = p{cell.number} ^ {comes};"
    if "COUT" in cell.nets:
        yield f"assign {cell.nets['COUT']} = p{cell.number} ? {comes} : ({generate});"


def _distributed_ram(cell: Cell) -> Iterator[str]:
    write, read = cell.bus("WAD", 4, 0), cell.bus("RAD", 4, 0)
    for bit in range(4):
        memory = f"m{cell.number}_{bit}"
        first = cell.parameters.get(f"INIT_{bit}", "0").replace("x", "0")
        yield f"reg [15:0] {memory} = 16'b{first};"
        take = f"{memory}[{write}] <= {cell.pin(f'DI{bit}', 0)};"
        yield f"always @(posedge {cell.pin('CLK', 0)}) if ({cell.pin('WRE', 0)}) {take}"
        if f"DO{bit}" in cell.nets:
            yield f"assign {cell.nets[f'DO{bit}']} = {memory}[{read}];"


def _ram(cell: Cell) -> Ram:
    byte = 9 if "X9" in cell.kind else 8
    values = {}
    for row in range(_ROWS):
        bits = cell.parameters.get(f"INIT_RAM_{row:02X}", "").replace("x", "0").zfill(_ROW_BYTES * byte)
        for place in range(_ROW_BYTES):
            end = len(bits) - byte * place
            if value := int(bits[end - byte : end], 2):
                values[_ROW_BYTES * row + place] = value
    return Ram(f"m{cell.number}", byte, values)


def _block_ram(cell: Cell) -> Iterator[str]:
    """DP: two ports; SDP: port A writes, B reads; SP: one port."""
    ram = _ram(cell)
    yield from ram.lines()
    two, single = cell.kind.startswith("DP"), cell.kind.startswith("SP")
    for number, port in enumerate("A" if single else "AB"):
        side = "" if single else port
        width = cell.number_of("BIT_WIDTH" if single else f"BIT_WIDTH_{number}")
        mode = cell.number_of("WRITE_MODE" if single else f"WRITE_MODE{number}", 2)
        _no_registers(cell, f"READ_MODE{number if two else ''}")
        write = cell.pin(f"WRE{side}", 0) if two or single else f"1'b{int(port == 'A')}"
        data = cell.bus(f"DI{side if two else ''}", width, 0)
        chosen = cell.bus(f"BLKSEL{side}", 3, 0)
        wanted = cell.text("BLK_SEL" if single else f"BLK_SEL_{number}", "000").zfill(3)[-3:]
        made = Port(
            f"m{cell.number}{port.lower()}",
            cell.pin(f"CLK{side}", 0),
            f"{cell.pin(f'CE{side}', 1)} && {chosen} == 3'b{wanted}",
            write,
            cell.bus(f"AD{side}", 14, 0),
            width,
            data,
            _MEANWHILE[mode],
        )
        yield from made.lines(ram)
        for bit in range(width if two or single or port == "B" else 0):
            pin = f"DO{port if two else ''}{bit}"
            if pin in cell.nets:
                yield f"assign {cell.nets[pin]} = {made.name}_q[{bit}];"


def _multiplier(cell: Cell) -> Iterator[str]:
    """Without registers and cascades, as Yosys maps products."""
    n, bits = cell.number, int(cell.kind.removeprefix("MULT").split("X")[0])
    _no_registers(cell, "AREG", "BREG", "OUT_REG", "PIPE_REG", "ASIGN_REG", "BSIGN_REG")
    for side in "AB":
        sign = f"{{{bits}{{{cell.pin(f'{side}SIGN', 0)} & {side.lower()}{n}[{bits - 1}]}}}}"
        yield f"wire [{bits - 1}:0] {side.lower()}{n} = {cell.bus(side, bits, 0)};"
        yield f"wire [{2 * bits - 1}:0] {side.lower()}x{n} = {{{sign}, {side.lower()}{n}}};"
    yield f"wire [{2 * bits - 1}:0] p{n} = ax{n} * bx{n};"
    for bit in range(2 * bits):
        if f"DOUT{bit}" in cell.nets:
            yield f"assign {cell.nets[f'DOUT{bit}']} = p{n}[{bit}];"


def _no_registers(cell: Cell, *names: str) -> None:
    for name in names:
        if cell.number_of(name):
            raise NotTranslated(f"{cell.kind} {cell.name} has {name}")


_CELLS: dict[str, Callable[[Cell], Iterator[str]]] = {
    **dict.fromkeys(("IBUF", "OBUF"), _buffer),
    **dict.fromkeys(("GND", "VCC"), _constant),
    **dict.fromkeys(("LUT1", "LUT2", "LUT3", "LUT4"), _table),
    **dict.fromkeys(("MUX2_LUT5", "MUX2_LUT6", "MUX2_LUT7", "MUX2_LUT8"), _multiplexer),
    **{f"DFF{kind}": _flip_flop for kind in ("", "E", "S", "SE", "R", "RE", "P", "PE", "C", "CE")},
    "ALU": _carry,
    "RAM16SDP4": _distributed_ram,
    **dict.fromkeys(("DPB", "DPX9B", "SDPB", "SDPX9B", "SP", "SPX9"), _block_ram),
    **dict.fromkeys(("MULT9X9", "MULT18X18"), _multiplier),
}
