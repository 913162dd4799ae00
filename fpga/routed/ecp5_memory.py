"""Memories of the ECP5: block RAMs, and the write ports of RAMs of look-up tables."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.fpga.routed.netlist import Cell, NotTranslated

_BYTES = 2048
"""Of 9 bits, in a block RAM."""
_WIDEST = 36
_NARROW = {1: 0, 2: 1, 4: 2}  # widths of less than a byte, and the first bit of their addresses


def ram_writer(cell: Cell) -> Iterator[str]:
    """What a write port takes at its look-up tables' inputs goes on to the tables that hold the RAM."""
    through = dict(zip(("WDO0", "WDO1", "WDO2", "WDO3"), ("C1", "A1", "D1", "B1"), strict=True))
    through |= dict(zip(("WADO0", "WADO1", "WADO2", "WADO3"), ("D0", "B0", "C0", "A0"), strict=True))
    for out, comes in through.items():
        if out in cell.nets:
            yield f"assign {cell.nets[out]} = {cell.pin(comes, 0)};"


def block_ram(cell: Cell) -> Iterator[str]:
    """Two ports of up to 18 bits, which read what was there before they write; or one that writes and one to read."""
    cell.must_be(RESETMODE="ASYNC", REGMODE_A="NOREG", REGMODE_B="NOREG")
    memory = f"m{cell.number}"
    yield f"reg [8:0] {memory} [0:{_BYTES - 1}];"
    yield from _first_values(cell, memory)
    widths = [int(cell.text(f"DATA_WIDTH_{port}", "10010"), 2) for port in "AB"]
    if widths == [_WIDEST, _WIDEST]:
        yield from _wide(cell, memory)
        return
    for port, width in zip("AB", widths, strict=True):
        yield from _port(cell, port, memory, width)


def _first_values(cell: Cell, memory: str) -> Iterator[str]:
    """`INITVAL_<row>`: 16 words of 20 bits, of which 18 are kept, in two bytes."""
    known = []
    for row in range(64):
        bits = cell.parameters.get(f"INITVAL_{row:02X}", "")
        bits = f"{int(bits, 16):0320b}" if bits.startswith("0x") else bits.zfill(320)
        for word in range(16):
            value = int(bits[320 - 20 * (word + 1) : 320 - 20 * word], 2)
            known += [(row * 32 + word * 2, value & 0x1FF), (row * 32 + word * 2 + 1, value >> 9 & 0x1FF)]
    index = f"i{cell.number}"
    told = " ".join(f"{memory}[{at}] = 9'd{value};" for at, value in known if value)
    yield f"integer {index}; initial begin for ({index} = 0; {index} < {_BYTES}; {index} = {index} + 1) "
    yield f"  {memory}[{index}] = 9'd0; {told} end"


def _wide(cell: Cell, memory: str) -> Iterator[str]:
    """Port A writes words of 36 bits, port B reads them; each has the data pins of the other for half of its own."""
    n = cell.number
    write, read, enables = cell.bus("ADA", 14, 0), cell.bus("ADB", 14, 0), cell.bus("ADA", 4, 0)
    yield f"wire [13:0] a{n} = {write}, b{n} = {read}; wire [3:0] e{n} = {enables}; reg [35:0] q{n} = 36'd0;"
    yield f"wire [35:0] d{n} = {{{cell.bus('DIB', 18, 0)}, {cell.bus('DIA', 18, 0)}}};"
    yield f"always @(posedge {cell.pin('CLKA', 0)}) if ({_enabled(cell, 'A')} && {cell.pin('WEA', 1)}) begin"
    for part in range(4):
        bits = f"[{9 * part + 8}:{9 * part}]"
        yield f"  if (e{n}[{part}]) {memory}[{{a{n}[13:5], 2'd{part}}}] <= d{n}{bits};"
    yield "end"
    words = ", ".join(f"{memory}[{{b{n}[13:5], 2'd{part}}}]" for part in reversed(range(4)))
    yield f"always @(posedge {cell.pin('CLKB', 0)}) if ({_enabled(cell, 'B')}) q{n} <= {{{words}}};"
    for bit in range(_WIDEST):
        pin = f"DOA{bit}" if bit < 18 else f"DOB{bit - 18}"
        if pin in cell.nets:
            yield f"assign {cell.nets[pin]} = q{n}[{bit}];"


def _enabled(cell: Cell, port: str) -> str:
    """Whether a port does anything."""
    wanted = cell.text(f"CSDECODE_{port}", "0b000").removeprefix("0b")
    return f"{cell.pin(f'CE{port}', 1)} && {cell.bus(f'CS{port}', 3, 1)} == 3'b{wanted}"


def _port(cell: Cell, port: str, memory: str, width: int) -> Iterator[str]:
    name = f"{port.lower()}{cell.number}"
    address, data = cell.bus(f"AD{port}", 14, 0), cell.bus(f"DI{port}", 18, 0)
    enable = _enabled(cell, port)
    yield f"wire [13:0] {name} = {address}; wire [17:0] d{name} = {data}; reg [17:0] q{name} = 18'd0;"
    yield f"always @(posedge {cell.pin(f'CLK{port}', 0)}) if ({enable}) begin"
    write = cell.pin(f"WE{port}", 1)
    if width == 18:
        yield f"  q{name} <= {{{memory}[{{{name}[13:4], 1'b1}}], {memory}[{{{name}[13:4], 1'b0}}]}};"
        for half in (0, 1):
            place, bits = f"{{{name}[13:4], 1'b{half}}}", f"[{9 * half + 8}:{9 * half}]"
            yield f"  if ({write} & {name}[{half}]) {memory}[{place}] <= d{name}{bits};"
    elif width == 9:
        yield f"  q{name} <= {{9'd0, {memory}[{name}[13:3]]}};"
        yield f"  if ({write}) {memory}[{name}[13:3]] <= d{name}[8:0];"
    elif width in _NARROW:
        place = f"{{{name}[2:{_NARROW[width]}], {_NARROW[width]}'d0}}" if _NARROW[width] else f"{name}[2:0]"
        part = f"{memory}[{name}[13:3]][{place} +: {width}]"
        yield f"  q{name} <= {{{18 - width}'d0, {part}}};"
        yield f"  if ({write}) {part} <= d{name}[{width - 1}:0];"
    else:
        raise NotTranslated(f"{cell.kind} {cell.name} has ports of {width} bits")
    yield "end"
    for bit in range(18):
        if f"DO{port}{bit}" in cell.nets:
            yield f"assign {cell.nets[f'DO{port}{bit}']} = q{name}[{bit}];"
