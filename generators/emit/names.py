"""Verilog names of the wires of a module."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.generators.config.verilog_names import KEYWORDS
from tilewright.generators.emit.graph import Graph, combinational
from tilewright.generators.emit.netlist import Cell, Slice

_ANONYMOUS = {
    "$add": "sum", "$sub": "difference", "$mul": "product", "$mux": "choice", "$pmux": "choice", "$and": "all",
    "$or": "any", "$eq": "equal", "$ne": "unequal", "$lt": "less", "$gt": "more", "$le": "at_most", "$ge": "at_least",
}  # fmt: skip


def is_anonymous(wire: str) -> bool:
    """Whether nobody gave ``wire`` a name."""
    return wire.startswith("$") or wire.startswith("\\$")


def legal(name: str) -> str:
    """``name`` as a Verilog identifier."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"{plain}_" if plain in KEYWORDS else plain


class Names:
    """Names of one module, given out in the order in which they are asked for.

    Ports keep theirs. A wire that carries the port of an instance is called after both, ``nest_inner_last``.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._given: dict[str, str] = {}
        self._taken: set[str] = set()
        for name, wire in graph.netlist.wires.items():
            if wire.direction:
                self._give_port(name)
        self._instances = {
            cell.name: self.fresh(_base(cell.name)) for cell in graph.netlist.cells if not cell.kind.startswith("$")
        }
        self._wanted = dict(self._carried(of_inputs=True)) | dict(self._carried(of_inputs=False))

    def _carried(self, *, of_inputs: bool) -> Iterator[tuple[str, str]]:
        """(wire, name after the instance port that it carries)."""
        for cell in self._graph.netlist.cells:
            if cell.kind.startswith("$"):
                continue
            for port in self._graph.inputs_of(cell) if of_inputs else self._graph.outputs_of(cell):
                for piece in cell.ports[port]:
                    if isinstance(piece, Slice) and (not of_inputs or _base(piece.wire) == port):
                        yield piece.wire, f"{self.instance(cell)}_{port}"

    def _give_port(self, name: str) -> None:
        plain = name.removeprefix("\\")
        if legal(plain) != plain:
            raise ValueError(f"port {plain!r} of {self._graph.netlist.name} must be a Verilog name that is no keyword")
        self._given[name] = plain
        self._taken.add(plain)

    def name(self, wire: str) -> str:
        """The Verilog name of ``wire``."""
        if wire not in self._given:
            self._given[wire] = self.fresh(self._wanted.get(wire) or self._default(wire))
        return self._given[wire]

    @property
    def given(self) -> dict[str, str]:
        """Names given so far, of wires and instances."""
        return {**self._given, **self._instances}

    def instance(self, cell: Cell) -> str:
        """The Verilog name of the instance ``cell``."""
        return self._instances[cell.name]

    def rename(self, wire: str, wanted: str) -> str:
        """A new name for ``wire``, which has one."""
        self._taken.discard(self._given.pop(wire, ""))
        self._given[wire] = self.fresh(wanted)
        return self._given[wire]

    def fresh(self, wanted: str) -> str:
        """``wanted``, numbered where it is taken already."""
        base, name, number = legal(wanted), legal(wanted), 2
        while name in self._taken:
            name, number = f"{base}_{number}", number + 1
        self._taken.add(name)
        return name

    def _default(self, wire: str) -> str:
        if not is_anonymous(wire):
            return _base(wire)
        drivers = self._graph.drivers.get(wire, ())
        cell = drivers[0][1] if drivers else None
        if cell is None:
            return "term"
        if combinational(cell):
            return _ANONYMOUS.get(cell.kind, "term")
        return "register" if cell.kind == "$dff" else f"{self.instance(cell)}_{_port(cell, wire)}"


def _port(cell: Cell, wire: str) -> str:
    return next(p for p, sig in cell.ports.items() if any(isinstance(s, Slice) and s.wire == wire for s in sig))


def _base(wire: str) -> str:
    """What the designer called ``wire``: the part before the number that tells namesakes apart."""
    return wire.lstrip("\\").split("$")[0]
