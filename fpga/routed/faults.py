"""Faults of a design for the ECP5 after place and route, asleep in its Verilog until one is chosen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from random import Random

from tilewright.fpga.routed.ecp5 import cell_lines
from tilewright.fpga.routed.netlist import Cell, Netlist, module_text

TABLE, CARRY, MULTIPLIER, CONNECTION = "look-up table", "carry", "multiplier", "connection"
KINDS = (TABLE, CARRY, MULTIPLIER, CONNECTION)
_OUTPUTS = {
    "TRELLIS_COMB": r"F|FCO|OFX",
    "TRELLIS_FF": r"Q",
    "TRELLIS_RAMW": r"WA?DO\d",
    "MULT18X18D": r"P\d+",
    "DP16KD": r"DO[AB]\d+",
    "DCCA": r"CLKO",
    "TRELLIS_IO": r"O|B",
}
_REGISTERS = ("REG_INPUTA_CLK", "REG_INPUTB_CLK", "REG_PIPELINE_CLK", "REG_OUTPUT_CLK")
_LEVELS = ("0", "1", "INV")


@dataclass(frozen=True)
class CellFault:
    """A cell as it is with a fault; ``words``: which."""

    kind: str
    words: str
    cell: Cell

    def __str__(self) -> str:
        return f"{self.kind}: {self.cell.kind} {self.cell.name} {self.words}"


def outputs(cell: Cell) -> dict[str, str]:
    """The nets that a cell drives, by pin."""
    return {pin: net for pin, net in cell.nets.items() if re.fullmatch(_OUTPUTS[cell.kind], pin)}


class Faults:
    """Random faults of a netlist.

    One bit of a table is the other way round; a register of a multiplier comes or goes, or an input of it is 0, 1 or
    inverted; an input of any cell is open, or at any other net.
    """

    def __init__(self, netlist: Netlist, seed: int) -> None:
        self.netlist, self._random = netlist, Random(seed)
        self.ports = {port: net for port, (_, net) in netlist.ports.items()}
        logic = [cell for cell in netlist.cells if cell.kind == "TRELLIS_COMB" and outputs(cell)]
        self._cells = {
            TABLE: [cell for cell in logic if cell.text("MODE", "LOGIC") == "LOGIC"],
            CARRY: [cell for cell in logic if cell.text("MODE", "LOGIC") == "CCU2"],
            MULTIPLIER: [cell for cell in netlist.cells if cell.kind == "MULT18X18D"],
        }
        wired = [cell for cell in netlist.cells if cell.kind in _OUTPUTS and cell.kind != "TRELLIS_IO"]
        self._pins = [(cell, pin) for cell in wired for pin in sorted(cell.nets.keys() - outputs(cell).keys())]
        self._nets = sorted({net for cell in netlist.cells for net in outputs(cell).values()})

    def draw(self, kind: str) -> CellFault:
        """A fault of one of `KINDS`."""
        return self._connection() if kind == CONNECTION else self._setting(kind)

    def checked(self, fault: CellFault) -> CellFault | None:
        """The fault; None where its cell does the same with it.

        Raises NotTranslated where the cell cannot be told then.
        """
        cell = next(cell for cell in self.netlist.cells if cell.number == fault.cell.number)
        same = list(cell_lines(fault.cell, self.ports)) == list(cell_lines(cell, self.ports))
        return None if same else fault

    def _setting(self, kind: str) -> CellFault:
        cell = self._random.choice(self._cells[kind])
        if kind == MULTIPLIER:
            name, value = self._random.choice(list(_multiplier_settings(cell)))
            return CellFault(kind, f"{name} {value}", _with(cell, name, value))
        table = cell.parameters["INITVAL"]
        at = self._random.randrange(len(table))
        other = table[:at] + ("0" if table[at] == "1" else "1") + table[at + 1 :]
        return CellFault(kind, f"INITVAL[{len(table) - 1 - at}]", _with(cell, "INITVAL", other))

    def _connection(self) -> CellFault:
        cell, pin = self._random.choice(self._pins)
        nets = dict(cell.nets)
        del nets[pin]
        if self._random.random() < 0.5:
            return CellFault(CONNECTION, f"{pin} open", replace(cell, nets=nets))
        net = self._random.choice(self._nets)
        return CellFault(CONNECTION, f"{pin} at {net}", replace(cell, nets=nets | {pin: net}))


def selectable_netlist(
    netlist: Netlist,
    faults: Mapping[int, CellFault],
    name: str,
    choice: str,
    watch: Callable[[Mapping[int, str]], Iterable[str]] = lambda differences: (),
) -> str:
    """The module of a netlist with faults.

    Args:
        netlist: without them.
        faults: by number, 1 and up.
        name: of the module.
        choice: lines that declare and drive a wire ``mutant``, which tells the number.
        watch: gives lines to expressions, by fault, that tell whether its cell has another output.
    """
    ports = {port: net for port, (_, net) in netlist.ports.items()}
    numbers: dict[int, list[int]] = {}
    for number, fault in faults.items():
        numbers.setdefault(fault.cell.number, []).append(number)
    differences = {
        number: " | ".join(f"({net}_0 ^ {net}_{number})" for net in outputs(fault.cell).values()) or "1'b0"
        for number, fault in faults.items()
    }
    body = chain(_body(netlist, faults, numbers, ports, choice), watch(differences))
    return module_text(netlist, name, body)


def _body(
    netlist: Netlist,
    faults: Mapping[int, CellFault],
    numbers: Mapping[int, list[int]],
    ports: Mapping[str, str],
    choice: str,
) -> Iterator[str]:
    yield choice
    first = 1 + max(cell.number for cell in netlist.cells)
    for cell in netlist.cells:
        here = numbers.get(cell.number, [])
        yield from cell_lines(_apart(cell, 0, cell.number) if here else cell, ports)
        for number in here:
            yield from cell_lines(_apart(faults[number].cell, number, first + number), ports)
        for net in outputs(cell).values() if here else ():
            yield f"wire {', '.join(f'{net}_{number}' for number in (0, *here))};"
            picked = "".join(f"mutant == {number} ? {net}_{number} : " for number in here)
            yield f"assign {net} = {picked}{net}_0;"


def _apart(cell: Cell, copy: int, number: int) -> Cell:
    """A cell whose outputs are nets of their own."""
    nets = dict(cell.nets) | {pin: f"{net}_{copy}" for pin, net in outputs(cell).items()}
    return replace(cell, number=number, nets=nets)


def _multiplier_settings(cell: Cell) -> Iterator[tuple[str, str]]:
    for name in _REGISTERS:
        yield name, "CLK0" if cell.text(name, "NONE") == "NONE" else "NONE"
    for pin in sorted(cell.nets.keys() - outputs(cell).keys()):
        chosen = cell.text(f"{pin}MUX", pin)
        yield from ((f"{pin}MUX", value) for value in (*_LEVELS, pin) if value != chosen)


def _with(cell: Cell, name: str, value: str) -> Cell:
    return replace(cell, parameters=dict(cell.parameters) | {name: value})
