"""Netlists: modules of cells and wires, read from RTLIL text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Slice:
    """Bits ``[low, low + width)`` of a wire."""

    wire: str
    low: int
    width: int

    def part(self, low: int, width: int) -> Slice:
        """Bits ``[low, low + width)`` of this slice."""
        return Slice(self.wire, self.low + low, width)


@dataclass(frozen=True)
class Bits:
    """A constant, maybe with a name; ``value`` is written most significant bit first, of ``0``, ``1`` and ``x``."""

    value: str
    name: str = ""

    @property
    def width(self) -> int:
        """Number of bits."""
        return len(self.value)

    def part(self, low: int, width: int) -> Bits:
        """Bits ``[low, low + width)`` of this constant; only the whole of it keeps its name."""
        if (low, width) == (0, self.width):
            return self
        end = len(self.value) - low
        return Bits(self.value[end - width : end])


Sig = tuple[Slice | Bits, ...]
"""Pieces of a signal, least significant first."""


def width_of(sig: Sig) -> int:
    """Bits of ``sig``."""
    return sum(piece.width for piece in sig)


def part_of(sig: Sig, low: int, width: int) -> Sig:
    """Bits ``[low, low + width)`` of ``sig``."""
    found: list[Slice | Bits] = []
    for piece in sig:
        start, end = max(low, 0), min(low + width, piece.width)
        if start < end:
            found.append(piece.part(start, end - start))
        low -= piece.width
    return tuple(found)


def joined(pieces: Iterable[Slice | Bits]) -> Sig:
    """``pieces``, neighbours that continue each other made one."""
    found: list[Slice | Bits] = []
    for piece in pieces:
        last = found[-1] if found else None
        if isinstance(last, Slice) and isinstance(piece, Slice):
            if last.wire == piece.wire and last.low + last.width == piece.low:
                found[-1] = Slice(last.wire, last.low, last.width + piece.width)
                continue
        elif isinstance(last, Bits) and isinstance(piece, Bits):
            found[-1] = Bits(piece.value + last.value)
            continue
        found.append(piece)
    return tuple(found)


def spread(sig: Sig) -> Sig:
    """``sig`` with every bit that is repeated on its own, except a word that copies of its sign follow."""
    found: list[Slice | Bits] = []
    for number, piece in enumerate(sig):
        low, width = 0, piece.width
        before, after = sig[number - 1] if number else None, sig[number + 1] if number + 1 < len(sig) else None
        if isinstance(piece, Slice) and width > 1:
            if before is not None and before.part(before.width - 1, 1) == piece.part(0, 1):
                found.append(piece.part(0, 1))
                low, width = 1, width - 1
            repeated = width > 1 and after is not None and after.part(0, 1) == piece.part(piece.width - 1, 1)
            extended = repeated and low == 0 and after is not None and after.width == 1
            if repeated and not extended:
                width -= 1
            found.append(piece.part(low, width))
            if low + width < piece.width:
                found.append(piece.part(piece.width - 1, 1))
        else:
            found.append(piece)
    return tuple(found)


@dataclass(frozen=True)
class Wire:
    """A wire; ``direction`` is ``input``, ``output`` or empty."""

    name: str
    width: int
    direction: str = ""
    signed: bool = False


@dataclass
class Cell:
    """A cell: ``kind`` is ``$add`` and the like, or the name of a module."""

    name: str
    kind: str
    parameters: dict[str, int] = field(default_factory=dict)
    ports: dict[str, Sig] = field(default_factory=dict)


@dataclass
class Netlist:
    """A module: ``connections`` are (driven, driver)."""

    name: str
    wires: dict[str, Wire] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    connections: list[tuple[Sig, Sig]] = field(default_factory=list)

    def arranged(self, order: Mapping[str, Sequence[str]]) -> Netlist:
        """This netlist with the ports of the module, and of those it instantiates, in the ``order`` of each module."""
        ports = {f"\\{port}": self.wires[f"\\{port}"] for port in order[self.name]}
        cells = [
            Cell(c.name, c.kind, c.parameters, {port: c.ports[port] for port in order[c.kind] if port in c.ports})
            if c.kind in order
            else c
            for c in self.cells
        ]
        return Netlist(self.name, ports | self.wires, cells, self.connections)


_TOKEN = re.compile(r"\{|\}|(\d+)'([01xz-]*)|\[(\d+)(?::(\d+))?\]|([\\$]\S+)|(-?\d+)")
_WIRE = re.compile(r"  wire (?:width (\d+) )?(?:(input|output) \d+ +)?(signed )?([\\$]\S+)$")
_INTEGER = re.compile(r"(?:(\d+)'([01]+)|(-?\d+))$")


def read(text: str) -> Iterator[Netlist]:
    """Modules of RTLIL ``text`` without processes."""
    module: Netlist | None = None
    cell: Cell | None = None
    for line in text.splitlines():
        word = line.split(maxsplit=1)[:1]
        if word == ["module"]:
            module = Netlist(_plain(line.split()[1]))
        elif module is None or not word or word == ["attribute"]:
            continue
        elif line == "end":
            yield module
            module = None
        elif line == "  end":
            cell = None
        elif word == ["wire"]:
            match = _WIRE.match(line)
            if match is None:
                raise ValueError(f"not understood: {line!r}")
            wire = Wire(match[4], int(match[1] or 1), match[2] or "", bool(match[3]))
            module.wires[wire.name] = wire
        elif word == ["cell"]:
            _, kind, name = line.split()
            cell = Cell(name, kind if kind.startswith("$") else _plain(kind))
            module.cells.append(cell)
        elif cell is not None and word == ["parameter"]:
            name, value = line.split()[-2:]
            cell.parameters[_plain(name)] = _integer(value)
        elif cell is not None and word == ["connect"]:
            _, name, rest = line.split(maxsplit=2)
            cell.ports[_plain(name)] = _one(_signals(rest, module))
        elif word == ["connect"]:
            driven, driver = _signals(line.split(maxsplit=1)[1], module)
            module.connections.append((driven, driver))
        else:
            raise ValueError(f"not understood: {line!r}")


_FIELD = re.compile(r"^ *connect (\\[^\s$]+\.[^\s$]+) (\\\S+)(?: \[(\d+)(?::(\d+))?\])?$", re.M)


def parts_of_wires(body: str) -> Iterator[tuple[str, tuple[str, int, int]]]:
    """Named parts of wires in the ``body`` of an RTLIL module, not cleaned yet: (name, (wire, low, width))."""
    for match in _FIELD.finditer(body):
        if match[3] is not None:
            high, low = int(match[3]), int(match[4] or match[3])
            yield match[1], (match[2], low, high - low + 1)


def fields(text: str, module: str) -> dict[tuple[str, int, int], str]:
    """Names that RTLIL ``text`` of ``module``, not cleaned yet, gives to parts of wires: (wire, low, width) -> name."""
    start = text.index(f"module \\{module}\n")
    found = {}
    for name, place in parts_of_wires(text[start : text.index("\nend\n", start)]):
        if place not in found or name.startswith(f"{place[0]}."):  # a wire's own field before another's
            found[place] = re.sub(r"[^A-Za-z0-9]+", "_", name[1:])
    return found


def _plain(name: str) -> str:
    return name.removeprefix("\\")


def _integer(text: str) -> int:
    match = _INTEGER.match(text)
    if match is None:
        raise ValueError(f"not a number: {text!r}")
    return int(match[3]) if match[2] is None else int(match[2], 2)


def _one(signals: list[Sig]) -> Sig:
    (signal,) = signals
    return signal


def _signals(text: str, module: Netlist) -> list[Sig]:
    """The signals that ``text`` lists."""
    found: list[list[Slice | Bits]] = []
    group: list[Slice | Bits] | None = None
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "{":
            group = []
            continue
        if token == "}":
            found.append((group or [])[::-1])  # written most significant first
            group = None
            continue
        target = found if group is None else None
        if match[3] is not None:
            high, low = int(match[3]), int(match[4] or match[3])
            last = found[-1][0] if target is not None else (group or [])[-1]
            piece = last.part(low, high - low + 1)
            if target is not None:
                found[-1] = [piece]
            elif group is not None:
                group[-1] = piece
            continue
        if match[5] is not None:
            piece = Slice(match[5], 0, module.wires[match[5]].width)
        elif match[2] is not None:
            value = match[2].replace("z", "x").replace("-", "x")
            piece = Bits(value.rjust(int(match[1]), "x" if value.startswith("x") else "0"))
        else:
            piece = Bits(format(int(match[6]) & 0xFFFFFFFF, "032b"))
        if target is not None:
            found.append([piece])
        elif group is not None:
            group.append(piece)
    return [joined(pieces) for pieces in found]
