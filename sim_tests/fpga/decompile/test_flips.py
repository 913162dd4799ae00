"""What a flipped bit of a small bitstream changes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tilewright.fpga.boards.known import board
from tilewright.fpga.decompile.config_bits import ConfigBit, config_bits, flipped, flipped_text
from tilewright.fpga.decompile.fabric import Fabric, Segment
from tilewright.fpga.decompile.flips import Design, Flip
from tilewright.fpga.decompile.icebox_database import installed
from tilewright.fpga.decompile.logic_cells import logic_cell
from tilewright.fpga.decompile.selectable import selectable
from tilewright.fpga.decompile.verilog import decompiled
from tilewright.fpga.decompile.wires import Wires
from tilewright.fpga.flow.board_build import build as build_board
from tilewright.sim_tests.fpga.flow.tiny import ICE40, TOP, tiny

pytestmark = pytest.mark.skipif(not installed(), reason="fpga-icestorm is not installed")


@dataclass(frozen=True)
class Taken:
    """A bitstream, taken apart: its file, its bits by kind, and its cells."""

    file: Path
    bits: dict[str, list[ConfigBit]]
    design: Design

    def fabric(self, file: Path) -> Fabric:
        """A fabric of the same board."""
        return Fabric(file, board("icebreaker").part.package, board("icebreaker").pins)

    def first(self, kind: str) -> Flip:
        """The first bit of a kind that changes anything."""
        return next(flip for bit in self.bits[kind] if (flip := self.design.flip(bit)))


@pytest.fixture(scope="module")
def taken() -> Taken:
    chosen = board("icebreaker")
    file = build_board(chosen, tiny(ICE40)).folder / f"{TOP}.asc"
    fabric = Fabric(file, chosen.part.package, chosen.pins)
    wires = Wires(fabric)
    bits = config_bits(fabric, wires)
    return Taken(file, bits, Design(fabric, wires))


def nets(fabric: Fabric) -> list[set[Segment]]:
    found: dict[int, set[Segment]] = {}
    for segment in fabric.segments():
        net = fabric.net(*segment)
        assert net is not None
        found.setdefault(net, set()).add(segment)
    return list(found.values())


def test_wires_are_one_where_icebox_says_so_also_after_a_flip(taken: Taken, tmp_path: Path) -> None:
    bit = taken.first("routing").bit
    (tmp_path / "flipped.asc").write_text(flipped_text(taken.file.read_text(), bit))
    fabric, wires = taken.design.fabric, taken.design.wires
    other = taken.fabric(tmp_path / "flipped.asc")
    with flipped(fabric.chip, bit):
        wires.read(bit.x, bit.y)
        groups = [(net, wires.group(min(net))) for net in nets(other)]
    wires.read(bit.x, bit.y)
    for net, group in groups:
        assert net <= group
        more = {re.sub(r"\d", "", name) for _, _, name in group - net}
        assert more <= {"glb_netwk_", "padin_", "fabout", "io_/PAD"}, "global networks that nothing is at"


def test_a_bit_of_a_table_is_one_entry_of_one_cell(taken: Taken) -> None:
    flip = taken.first("look-up table")
    ((place, lines),) = flip.then.items()
    assert place == (logic_cell, (flip.bit.x, flip.bit.y, flip.bit.row // 2))
    before = taken.design.lines(place)
    assert before is not None
    assert [one.partition(" = ")[0] for one in before] == [one.partition(" = ")[0] for one in lines]
    assert before != lines
    assert not flip.wires
    assert not flip.ports


def test_a_carry_that_nothing_reads_changes_nothing(taken: Taken) -> None:
    design = taken.design
    idle = [bit for bit in taken.bits["carry and flip-flop"] if bit.row % 2 == 0 and bit.column == 44][:60]
    cells = {(bit.x, bit.y, bit.row // 2) for bit in idle if design.flip(bit) is None}
    carries = {place[1] for place, drives in design.cells.items() if any(name.endswith("cout") for *_, name in drives)}
    assert cells
    assert cells.isdisjoint(carries), "without a carry that is used another cell reads another value"


def test_a_multiplexer_that_is_off_leaves_its_readers_at_their_level(taken: Taken) -> None:
    flips = [flip for bit in taken.bits["routing"][:60] if (flip := taken.design.flip(bit))]
    assert flips
    for flip in flips:
        assert all(lines != taken.design.lines(place) for place, lines in flip.then.items())
    assert taken.design.flip(flips[0].bit) is not None, "a bit is back where it was after a flip"


def test_flips_sleep_until_they_are_chosen(taken: Taken) -> None:
    design = taken.design
    flips = {number: taken.first(kind) for number, kind in enumerate(taken.bits, 1)}
    text = selectable(design, flips, TOP, "wire [7:0] mutant;")
    for number, flip in flips.items():
        assert len(re.findall(rf"mutant == {number} \?", text)) == len(flip.outputs) + len(flip.ports)
    driven = re.findall(r"assign (n\d+) =", text)
    assert len(driven) == len(set(driven)), "each net has one driver"


def test_without_flips_the_lines_are_those_of_the_bitstream(taken: Taken) -> None:
    chosen = board("icebreaker")
    whole = decompiled(taken.file, chosen.part.package, chosen.pins, TOP)
    text = selectable(taken.design, {}, TOP, "")

    def shapes(module: str) -> list[str]:
        return sorted(
            re.sub(r"\b[nr]\d+\b", "n", line) for line in module.splitlines() if line and "wire n" not in line
        )

    assert shapes(text) == shapes(whole)
