"""Configuration bits of what a design uses of an iCE40, by kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tilewright.fpga.decompile.fabric import Fabric
from tilewright.fpga.decompile.hard_blocks import multiplier, used_hard_blocks
from tilewright.fpga.decompile.icebox_database import icebox
from tilewright.fpga.decompile.logic_cells import used_logic_cells
from tilewright.fpga.decompile.wires import Wires

_FIRST_COLUMN, _COLUMNS = 36, 10
_SETTINGS = (8, 9, 18, 19)  # carry, flip-flop, set, at once
_FALLING, _CASCADE, _CARRY_SET = (0, 0), (1, 49), (1, 50)


@dataclass(frozen=True, order=True)
class ConfigBit:
    """A bit of a tile, by row and column; ``kind``: one of those of `config_bits`."""

    kind: str
    x: int
    y: int
    row: int
    column: int

    def __str__(self) -> str:
        return f"{self.kind}: tile {self.x}, {self.y}, B{self.row}[{self.column}]"


def flipped_text(text: str, bit: ConfigBit) -> str:
    """A bitstream in text form with one bit the other way round."""
    lines = text.splitlines()
    tile = next(at for at, line in enumerate(lines) if re.fullmatch(rf"\.\w+_tile {bit.x} {bit.y}", line))
    row = tile + 1 + bit.row
    lines[row] = _other(lines[row], bit.column)
    return "\n".join(lines) + "\n"


@contextmanager
def flipped(chip: Any, bit: ConfigBit) -> Iterator[None]:
    """While this lasts, a bit of icebox's chip is the other way round."""
    rows = chip.tile(bit.x, bit.y)
    kept = rows[bit.row]
    rows[bit.row] = _other(kept, bit.column)
    try:
        yield
    finally:
        rows[bit.row] = kept


def config_bits(fabric: Fabric, wires: Wires) -> dict[str, list[ConfigBit]]:
    """The bits of all look-up tables at whose output anything is, of the other settings of logic cells, of multipliers,
    and of all multiplexers and switches that connect wires of the design; before any cell is told."""
    return {
        "look-up table": sorted(_tables(fabric)),
        "carry and flip-flop": sorted(_settings(fabric)),
        "multiplier": sorted(_multipliers(fabric)),
        "routing": sorted(_routing(wires)),
    }


def _other(row: str, column: int) -> str:
    return row[:column] + ("0" if row[column] == "1" else "1") + row[column + 1 :]


def _logic(kind: str, x: int, y: int, cell: int, number: int) -> ConfigBit:
    further, column = divmod(number, _COLUMNS)
    return ConfigBit(kind, x, y, 2 * cell + further, _FIRST_COLUMN + column)


def _tables(fabric: Fabric) -> Iterator[ConfigBit]:
    for x, y, cell in used_logic_cells(fabric):
        if any(fabric.net(x, y, f"lutff_{cell}/{out}") is not None for out in ("out", "lout")):
            for number in range(2 * _COLUMNS):
                if number not in _SETTINGS:
                    yield _logic("look-up table", x, y, cell, number)


def _settings(fabric: Fabric) -> Iterator[ConfigBit]:
    kind = "carry and flip-flop"
    tiles = set()
    for x, y, cell in used_logic_cells(fabric):
        tiles.add((x, y))
        yield from (_logic(kind, x, y, cell, number) for number in _SETTINGS)
    for x, y in tiles:
        yield from (ConfigBit(kind, x, y, *place) for place in (_FALLING, _CASCADE, _CARRY_SET))


def _multipliers(fabric: Fabric) -> Iterator[ConfigBit]:
    chip = fabric.chip
    for lines, (x, y, *_) in used_hard_blocks(fabric):
        if lines is not multiplier:
            continue
        for column, row, name in chip.get_dsp_config_db(x, y).values():
            (bit,) = next(entry[0] for entry in chip.tile_db(column, row) if entry[1:3] == ["IpConfig", name])
            yield ConfigBit("multiplier", column, row, *_place(bit))
        yield ConfigBit("multiplier", x, y + 2, *_FALLING)


def _routing(wires: Wires) -> set[ConfigBit]:
    found = set()
    for x, y in wires.tiles:
        made = wires.connections(x, y)
        bits = icebox().tileconfig(wires.chip.tile(x, y))
        for entry in wires.chip.tile_db(x, y):
            connects = entry[1] in ("routing", "buffer") and ((x, y, entry[2]), (x, y, entry[3])) in made
            if connects and bits.match(entry[0]):
                found |= {ConfigBit("routing", x, y, *_place(bit)) for bit in entry[0]}
    return found


def _place(name: str) -> tuple[int, int]:
    row, column = re.findall(r"\d+", name)
    return int(row), int(column)
