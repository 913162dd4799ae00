"""Random faults of what has been built for a board: bits of its bitstream, or cells of its netlist after routing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import TypeVar

from tilewright.fpga.boards.baud import divisor_of
from tilewright.fpga.decompile.config_bits import config_bits, flipped_text
from tilewright.fpga.decompile.fabric import Fabric, NotDecoded
from tilewright.fpga.decompile.flips import Design, Flip
from tilewright.fpga.decompile.selectable import selectable
from tilewright.fpga.decompile.verilog import decompiled
from tilewright.fpga.decompile.wires import Wires
from tilewright.fpga.flow.built import Built
from tilewright.fpga.flow.netlist import bitstream_text, netlist, routed_netlist
from tilewright.fpga.routed.ecp5 import cell_lines
from tilewright.fpga.routed.faults import CellFault, Faults, selectable_netlist
from tilewright.fpga.routed.netlist import NotTranslated, module_text
from tilewright.generators.scratch import scratch_folder
from tilewright.sim_tests.benchmarks.board_activation import WATCH, watches
from tilewright.sim_tests.benchmarks.board_mutant_proofs import Logic, same_logic
from tilewright.sim_tests.benchmarks.board_mutants import Faulty
from tilewright.sim_tests.benchmarks.mutants import CHOICE, CHOOSES

Candidate = TypeVar("Candidate")
Fault = TypeVar("Fault", Flip, CellFault)
Shares = Mapping[str, int]
"""How many faults of each kind."""


@dataclass(frozen=True)
class Drawn:
    """Faults of a design.

    Attributes:
        faulty: the design with those that can be simulated, by number.
        watching: the same, which also tells when each of them first made a difference; see `watched`.
        names: what they are; those that cannot be taken apart have numbers, too.
        refused: why not, by number.
        idle: how many others were drawn that change no cell.
        proof: how it is proved that a fault is none; "" where it is not.
        alone: the design with one fault only, without any choice, from the file that has it.
    """

    faulty: Faulty
    watching: Faulty
    names: Mapping[int, str]
    refused: Mapping[int, str]
    idle: int
    proof: Callable[[int], str]
    alone: Callable[[int], Faulty]


def bitstream_faults(built: Built, shares: Shares, seed: int) -> Drawn:
    """Bits of a bitstream that are flipped, of what the design uses; see `config_bits` for the kinds."""
    with scratch_folder("bitstream") as work:
        bitstream = bitstream_text(built.folder, built.top, work)
        text, fabric = bitstream.read_text(), Fabric(bitstream, built.board.part.package, built.board.pins)
    wires = Wires(fabric)
    bits, random = config_bits(fabric, wires), Random(seed)
    design = Design(fabric, wires)
    flips, names, refused, idle = _draw(shares, lambda kind: random.choice(bits[kind]), design.flip)
    sources = netlist(built.folder, built.board, built.top)
    sources[f"{built.top}.v"] = selectable(design, flips, built.top, CHOOSES)
    whole = {place: design.lines(place) or () for place in design.cells}

    def proof(number: int) -> str:
        flip = flips[number]
        after = [*chain(*{**whole, **flip.then}.values()), *flip.wires]
        return "" if flip.ports else same_logic(Logic.of(chain(*whole.values())), Logic.of(after), outputs)

    def alone(number: int) -> Faulty:
        with scratch_folder("bitstream") as work:
            (work / "flipped.asc").write_text(flipped_text(text, flips[number].bit))
            module = decompiled(work / "flipped.asc", built.board.part.package, built.board.pins, built.top)
        return _faulty(built, sources | {f"{built.top}.v": module})

    outputs = [f"n{net}" for net in fabric.outputs.values()]
    watching = selectable(design, flips, built.top, CHOOSES, watches)
    both = _faulty(built, sources), _faulty(built, sources | {f"{built.top}.v": watching, "watch.v": WATCH})
    return Drawn(*both, names, refused, idle, proof, alone)


def netlist_faults(built: Built, shares: Shares, seed: int) -> Drawn:
    """Cells of a netlist for the ECP5 that are set otherwise; see `KINDS` of `tilewright.fpga.routed.faults`."""
    read = routed_netlist(built.folder, built.top)
    source = Faults(read, seed)
    found, names, refused, idle = _draw(shares, source.draw, source.checked)
    sources = netlist(built.folder, built.board, built.top)
    sources[f"{built.top}.v"] = selectable_netlist(read, found, built.top, CHOOSES)
    whole = {cell.number: list(cell_lines(cell, source.ports)) for cell in read.cells}

    def proof(number: int) -> str:
        cell = found[number].cell
        after = whole | {cell.number: list(cell_lines(cell, source.ports))}
        return same_logic(Logic.of(chain(*whole.values())), Logic.of(chain(*after.values())), sorted(source.ports))

    def alone(number: int) -> Faulty:
        cell = found[number].cell
        cells = tuple(cell if each.number == cell.number else each for each in read.cells)
        lines = chain.from_iterable(cell_lines(each, source.ports) for each in cells)
        return _faulty(built, sources | {f"{built.top}.v": module_text(read, built.top, lines)})

    watching = selectable_netlist(read, found, built.top, CHOOSES, watches)
    both = _faulty(built, sources), _faulty(built, sources | {f"{built.top}.v": watching, "watch.v": WATCH})
    return Drawn(*both, names, refused, idle, proof, alone)


def _faulty(built: Built, sources: Mapping[str, str]) -> Faulty:
    return Faulty({**sources, "choice.v": CHOICE}, built.top, divisor_of(built.board.clock_hz, built.baud))


def _draw(
    shares: Shares, draw: Callable[[str], Candidate], made: Callable[[Candidate], Fault | None]
) -> tuple[dict[int, Fault], dict[int, str], dict[int, str], int]:
    """Faults, names, and refusals, by number; how many others change nothing."""
    found: dict[int, Fault] = {}
    names: dict[int, str] = {}
    refused: dict[int, str] = {}
    idle = 0
    for kind, count in shares.items():
        while count:
            drawn = draw(kind)
            if str(drawn) in names.values():
                continue
            number = len(names) + 1
            try:
                fault = made(drawn)
            except (NotDecoded, NotTranslated) as error:
                refused[number] = str(error)
            else:
                if fault is None:
                    idle += 1
                    continue
                found[number] = fault
            names[number] = str(drawn)
            count -= 1
    return found, names, refused, idle
