"""A netlist in the JSON of nextpnr and Yosys: cells with their parameters, and what their pins are at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


class NotTranslated(ValueError):
    """A cell is used in a way that has no translation; the message says which."""


@dataclass(frozen=True)
class Cell:
    """A cell of a netlist.

    Attributes:
        name: where it comes from.
        number: its place in the netlist.
        kind: its type.
        parameters: texts, as they are; bits as a text of 0 and 1.
        nets: of its pins, where anything is at them.
    """

    name: str
    number: int
    kind: str
    parameters: Mapping[str, str]
    nets: Mapping[str, str]

    def pin(self, name: str, open_level: int) -> str:
        """What a pin is at, after the multiplexer of it; ``open_level`` where that is nothing."""
        chosen = self.text(f"{name}MUX", name)
        if chosen in ("0", "1"):
            return f"1'b{chosen}"
        at = self.nets.get(name)
        if chosen == "INV":
            return f"1'b{1 - open_level}" if at is None else f"~{at}"
        return f"1'b{open_level}" if at is None else at

    def bus(self, name: str, width: int, open_level: int) -> str:
        """The pins ``<name>0`` and on, the highest first."""
        return f"{{{', '.join(self.pin(f'{name}{bit}', open_level) for bit in reversed(range(width)))}}}"

    def number_of(self, name: str, otherwise: int = 0) -> int:
        """A parameter that is bits."""
        return int(self.parameters[name], 2) if name in self.parameters else otherwise

    def text(self, name: str, otherwise: str) -> str:
        """A parameter that is a text. One that looks like bits has a blank behind it in the file."""
        return self.parameters.get(name, otherwise).strip()

    def must_be(self, **wanted: str) -> None:
        """Raises NotTranslated where a parameter that is told is another one."""
        for name, value in wanted.items():
            if self.text(name, value) != value:
                raise NotTranslated(f"{self.kind} {self.name} has {name} {self.text(name, value)}, not {value}")


@dataclass(frozen=True)
class Netlist:
    """The top module of a netlist.

    Attributes:
        ports: their nets, by name, with the direction.
        cells: all of them.
        nets: names of nets, ``n<number>``.
    """

    ports: Mapping[str, tuple[str, str]]
    cells: tuple[Cell, ...]
    nets: frozenset[str]


def read_netlist(file: Path, top: str) -> Netlist:
    """The module ``top`` of a file."""
    module = json.loads(file.read_text(encoding="utf-8"))["modules"][top]
    ports = {name: (port["direction"], _net(port["bits"][0])) for name, port in module["ports"].items()}
    cells = tuple(
        Cell(name, number, cell["type"], cell["parameters"], _pins(cell["connections"]))
        for number, (name, cell) in enumerate(sorted(module["cells"].items()))
        if cell["type"] != "$scopeinfo"  # tells of a module that was there
    )
    used = {net for cell in cells for net in cell.nets.values()} | {net for _, net in ports.values()}
    return Netlist(ports, cells, frozenset(net for net in used if net.startswith("n")))


def module_text(netlist: Netlist, name: str, body: Iterator[str]) -> str:
    """A module with the ports of ``netlist``, and lines of cells."""
    heads = ", ".join(f"{direction} wire {port}" for port, (direction, _) in sorted(netlist.ports.items()))
    wires = sorted(f"wire {net};" for net in netlist.nets)
    return "\n".join([f"module {name} ({heads});", *wires, *body, "endmodule"]) + "\n"


def _pins(connections: Mapping[str, list[int | str]]) -> dict[str, str]:
    """Of pins with several bits each has the name of the pin and its number."""
    found = {}
    for pin, bits in connections.items():
        for number, bit in enumerate(bits):
            if bit not in ("x", "z"):
                found[f"{pin}{number}" if len(bits) > 1 else pin] = _net(bit)
    return found


def _net(bit: int | str) -> str:
    return f"1'b{bit}" if isinstance(bit, str) else f"n{bit}"
