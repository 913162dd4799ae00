"""Memories of the ECP5: block RAMs, and the write ports of RAMs of look-up tables."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.fpga.routed.block_ram import Port, Ram
from tilewright.fpga.routed.netlist import Cell

_BYTE = 9
_WIDEST = 36
_ROWS, _WORDS, _WORD_BITS = 64, 16, 20


def ram_writer(cell: Cell) -> Iterator[str]:
    """What a write port takes at its look-up tables' inputs goes on to the tables that hold the RAM."""
    through = dict(zip(("WDO0", "WDO1", "WDO2", "WDO3"), ("C1", "A1", "D1", "B1"), strict=True))
    through |= dict(zip(("WADO0", "WADO1", "WADO2", "WADO3"), ("D0", "B0", "C0", "A0"), strict=True))
    for out, comes in through.items():
        if out in cell.nets:
            yield f"assign {cell.nets[out]} = {cell.pin(comes, 0)};"


def block_ram(cell: Cell) -> Iterator[str]:
    """Two ports of up to 18 bits, or one of 36 that writes and one that reads; all read what was there before."""
    cell.must_be(RESETMODE="ASYNC", REGMODE_A="NOREG", REGMODE_B="NOREG")
    ram = Ram(f"m{cell.number}", _BYTE, _first_values(cell))
    yield from ram.lines()
    widths = [cell.number_of(f"DATA_WIDTH_{port}", 18) for port in "AB"]
    wide = widths == [_WIDEST, _WIDEST]
    for port, width in zip("AB", widths, strict=True):
        # A port of 36 bits has the data pins of the other one for its upper half.
        data = f"{{{cell.bus('DIB', 18, 0)}, {cell.bus('DIA', 18, 0)}}}" if wide else cell.bus(f"DI{port}", 18, 0)
        write = "1'b0" if wide and port == "B" else cell.pin(f"WE{port}", 1)
        made = Port(
            f"m{cell.number}{port.lower()}",
            cell.pin(f"CLK{port}", 0),
            _enabled(cell, port),
            write,
            cell.bus(f"AD{port}", 14, 0),
            width,
            data,
        )
        yield from made.lines(ram)
        outs = ("DOA", "DOB") if wide else (f"DO{port}",)
        for bit in range(0 if wide and port == "A" else width):
            pin = f"{outs[bit // 18]}{bit % 18}"
            if pin in cell.nets:
                yield f"assign {cell.nets[pin]} = {made.name}_q[{bit}];"


def _first_values(cell: Cell) -> dict[int, int]:
    """`INITVAL_<row>`: 16 words of 20 bits, of which 18 are kept, in two bytes."""
    found: dict[int, int] = {}
    for row in range(_ROWS):
        bits = cell.parameters.get(f"INITVAL_{row:02X}", "").zfill(_WORDS * _WORD_BITS)
        for word in range(_WORDS):
            end = len(bits) - _WORD_BITS * word
            value = int(bits[end - 2 * _BYTE : end], 2)
            at = 2 * (_WORDS * row + word)
            found |= {at + half: part for half in (0, 1) if (part := value >> _BYTE * half & 0x1FF)}
    return found


def _enabled(cell: Cell, port: str) -> str:
    """Whether a port does anything."""
    wanted = cell.text(f"CSDECODE_{port}", "0b000").removeprefix("0b")
    return f"{cell.pin(f'CE{port}', 1)} && {cell.bus(f'CS{port}', 3, 1)} == 3'b{wanted}"
