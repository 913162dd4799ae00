"""Names for the values of wires that hold one of an enumeration: states, dataflows, statuses."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tilewright.generators.emit.graph import Graph
from tilewright.generators.emit.netlist import Bits, Cell, Sig, Slice, part_of, parts_of_wires, width_of
from tilewright.generators.emit.operators import CHOICES

Place = tuple[str, int, int]
"""Part of a wire: its name, lowest bit, width."""
Enums = Mapping[Place, Mapping[str, str]]
"""Names by value, which is written in bits."""

_ENUM = re.compile(
    r'^ *attribute \\enum_base_type "(\w+)"\n((?: *attribute \\enum_value_[01]+ "\w+"\n)+) *wire (?:.* )?(\\\S+)$', re.M
)
_VALUE = re.compile(r'enum_value_([01]+) "(\w+)"')


def enums(text: str, module: str) -> Enums:
    """The enumerations of RTLIL ``text`` of ``module``, not cleaned yet; a name is ``STATE_IDLE``."""
    start = text.index(f"module \\{module}\n")
    body = text[start : text.index("\nend\n", start)]
    places = dict(parts_of_wires(body))
    found = {}
    for base, values, wire in _ENUM.findall(body):
        named = {value: f"{base.upper()}_{name.upper()}" for value, name in _VALUE.findall(values)}
        width = len(next(iter(named)))
        found[wire, 0, width] = named
        if wire in places:
            found[places[wire]] = named
    return found


def name_values(graph: Graph, known: Enums) -> None:
    """Names the constants in ``graph`` that go to places of ``known``, or are compared with them."""
    for cell in graph.netlist.cells:
        if cell.kind in ("$eq", "$ne", "$logic_not"):
            _compared(cell, known)
        elif cell.kind == "$dff":
            cell.ports["D"] = _stored(graph, cell.ports["D"], _values(cell.ports["Q"], known))
        elif cell.kind in CHOICES:
            _chosen(graph, cell, _values(cell.ports["Y"], known))


def _values(sig: Sig, known: Enums) -> Mapping[str, str]:
    piece = sig[0] if len(sig) == 1 else None
    return known.get((piece.wire, piece.low, piece.width), {}) if isinstance(piece, Slice) else {}


def _named(sig: Sig, values: Mapping[str, str]) -> Sig:
    piece = sig[0] if len(sig) == 1 else None
    if isinstance(piece, Bits) and piece.value in values:
        return (Bits(piece.value, values[piece.value]),)
    return sig


def _extended(sig: Sig, width: int) -> Sig:
    """A constant with the zeros that were cut off its front."""
    piece = sig[0] if len(sig) == 1 else None
    return (Bits(piece.value.zfill(width)),) if isinstance(piece, Bits) else sig


def _compared(cell: Cell, known: Enums) -> None:
    for this, other in (("A", "B"), ("B", "A")):
        values = _values(cell.ports.get(this, ()), known)
        if not values or width_of(cell.ports[this]) == 1:
            continue
        if cell.kind == "$logic_not":
            cell.kind = "$eq"
            cell.ports["B"] = (Bits("0"),)
        cell.ports[other] = _named(_extended(cell.ports[other], width_of(cell.ports[this])), values)


def _stored(graph: Graph, sig: Sig, values: Mapping[str, str]) -> Sig:
    """``sig``, which goes where ``values`` go; of choices that nothing else reads, all that may be chosen."""
    piece = sig[0] if len(sig) == 1 else None
    if isinstance(piece, Slice) and values and piece.width == graph.width(piece.wire):
        cell = graph.driver(piece.wire)
        if cell is not None and len(graph.uses[piece.wire]) == 1:
            _chosen(graph, cell, values)
    return _named(sig, values)


def _chosen(graph: Graph, cell: Cell, values: Mapping[str, str]) -> None:
    if not values or cell.kind not in CHOICES:
        return
    width = width_of(cell.ports["A"])
    for port in ("A", "B"):
        sig = cell.ports[port]
        ways = [part_of(sig, low, width) for low in range(0, width_of(sig), width)]
        cell.ports[port] = tuple(piece for way in ways for piece in _stored(graph, way, values))
