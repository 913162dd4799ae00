"""Who drives and who reads each wire of a netlist, and which cells can be written where they are used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tilewright.generators.emit.netlist import Bits, Cell, Netlist, Sig, Slice, joined, part_of, width_of
from tilewright.generators.emit.operators import NARROWABLE, operands


def combinational(cell: Cell) -> bool:
    """Whether ``cell`` is an operator, neither a register nor an instance."""
    return cell.kind.startswith("$") and cell.kind != "$dff"


@dataclass(frozen=True)
class Use:
    """A place that reads ``slice``; ``by_name``: it needs a name there, not an expression."""

    slice: Slice
    by_name: bool


class Graph:
    """A netlist whose wires have drivers and uses.

    ``outputs`` gives the output ports of every module that may be instantiated. Wires that are only another name for
    other wires are replaced by those; anonymous wires that several cells drive are cut into one wire a cell.
    """

    def __init__(self, netlist: Netlist, outputs: Mapping[str, Collection[str]]) -> None:
        self.netlist, self._outputs = netlist, outputs
        self._aliases: dict[str, list[tuple[Slice, Sig]]] = defaultdict(list)
        self.assigned: list[tuple[Sig, Sig]] = []
        self._find_aliases()
        self.drivers: dict[str, list[tuple[Slice, Cell | None]]] = defaultdict(list)
        for cell in netlist.cells:
            for port in self.outputs_of(cell):
                for piece in cell.ports[port]:
                    if isinstance(piece, Slice):
                        self.drivers[piece.wire].append((piece, cell))
        for driven, _ in self.assigned:
            for piece in driven:
                if isinstance(piece, Slice):
                    self.drivers[piece.wire].append((piece, None))
        self._resolve()
        self.uses: dict[str, list[Use]] = defaultdict(list)
        self.widths: dict[str, int] = {}
        self._count_uses()

    def outputs_of(self, cell: Cell) -> Collection[str]:
        """Names of the ports that ``cell`` drives."""
        if cell.kind.startswith("$"):
            return ("Q",) if cell.kind == "$dff" else ("Y",)
        return [port for port in cell.ports if port in self._outputs[cell.kind]]

    def inputs_of(self, cell: Cell) -> list[str]:
        """Names of the ports that drive ``cell``."""
        outputs = self.outputs_of(cell)
        return [port for port in cell.ports if port not in outputs]

    def _find_aliases(self) -> None:
        # A named wire of which operators drive another part stays whole.
        whole = {
            piece.wire
            for cell in self.netlist.cells
            if cell.kind != "$dff"
            for port in self.outputs_of(cell)
            for piece in cell.ports[port]
            if isinstance(piece, Slice) and piece.wire.startswith("\\")
        }
        for driven, driver in self.netlist.connections:
            low = 0
            for piece in driven:
                part = part_of(driver, low, piece.width)
                low += piece.width
                if not isinstance(piece, Slice):
                    raise ValueError("a constant is driven")
                if self.netlist.wires[piece.wire].direction == "output" or piece.wire in whole:
                    self.assigned.append(((piece,), part))
                else:
                    self._aliases[piece.wire].append((piece, part))

    def resolved(self, sig: Sig) -> Sig:
        """``sig`` in terms of wires that something drives."""
        found: list[Slice | Bits] = []
        for piece in sig:
            parts: list[tuple[Slice, Sig | None]] = []
            if isinstance(piece, Slice):
                parts = self._parts(piece)
            if not parts:
                found.append(piece)
            for part, meaning in parts:
                found += [part] if meaning is None else self.resolved(meaning)
        return joined(found)

    def _parts(self, piece: Slice) -> list[tuple[Slice, Sig | None]]:
        """``piece`` cut where its wire changes meaning."""
        cuts: list[tuple[int, int, Sig | None]] = [
            (alias.low, alias.width, meaning) for alias, meaning in self._aliases.get(piece.wire, ())
        ]
        if piece.wire.startswith("$"):
            cuts += [(part.low, part.width, None) for part, _ in self.drivers.get(piece.wire, ())]
        if len(cuts) == 1 and cuts[0][2] is None:
            return []
        parts: list[tuple[Slice, Sig | None]] = []
        at, end = piece.low, piece.low + piece.width
        for low, width, meaning in sorted(cuts, key=lambda cut: cut[0]):
            start, stop = max(at, low), min(end, low + width)
            if start >= stop:
                continue
            if start > at:
                parts.append((Slice(piece.wire, at, start - at), None))
            if meaning is not None:
                parts.append((Slice(piece.wire, start, stop - start), part_of(meaning, start - low, stop - start)))
            else:
                parts.append((Slice(f"{piece.wire}.{low}", start - low, stop - start), None))
            at = stop
        if parts and at < end:
            parts.append((Slice(piece.wire, at, end - at), None))
        return parts

    def _resolve(self) -> None:
        for cell in self.netlist.cells:
            cell.ports = {port: self.resolved(sig) for port, sig in cell.ports.items()}
        self.assigned = [(driven, self.resolved(driver)) for driven, driver in self.assigned]
        split: dict[str, list[tuple[Slice, Cell | None]]] = defaultdict(list)
        for wire, drivers in self.drivers.items():
            for piece, driver in drivers:
                (target,) = self.resolved((piece,)) if wire.startswith("$") else (piece,)
                assert isinstance(target, Slice)
                split[target.wire].append((target, driver))
        self.drivers = split

    def width(self, wire: str) -> int:
        """Bits of ``wire`` that are worth having."""
        if wire not in self.widths:
            ends = [piece.low + piece.width for piece, _ in self.drivers.get(wire, ())]
            self.widths[wire] = self._declared_width(wire) if self.is_port(wire) or not ends else max(ends)
        return self.widths[wire]

    def _declared_width(self, wire: str) -> int:
        return self.netlist.wires[wire].width if wire in self.netlist.wires else 0

    def is_port(self, wire: str) -> bool:
        """Whether ``wire`` is a port of the module."""
        return wire in self.netlist.wires and bool(self.netlist.wires[wire].direction)

    def driver(self, wire: str) -> Cell | None:
        """The combinational cell that alone drives the whole of ``wire``, which is no port, if there is one."""
        drivers = self.drivers.get(wire, ())
        if len(drivers) != 1 or self.is_port(wire):
            return None
        piece, cell = drivers[0]
        whole = cell is not None and combinational(cell) and cell.ports["Y"] == (piece,)
        return cell if whole and piece.low == 0 else None

    def result_width(self, cell: Cell) -> int:
        """Bits of ``cell``'s result that are used."""
        full = width_of(cell.ports["Y"])
        piece = cell.ports["Y"][0]
        if len(cell.ports["Y"]) == 1 and isinstance(piece, Slice) and self.driver(piece.wire) is cell:
            return self.width(piece.wire)
        return full

    def _count_uses(self) -> None:
        """Uses, readers before drivers, so that what is cut short at a reader is cut short all the way back."""
        for _, driver in self.assigned:
            self._use(driver, by_name=False)
        for cell in self.netlist.cells:
            if not combinational(cell):
                for port in self.inputs_of(cell):
                    self._use(cell.ports[port], by_name=False)
        for cell in self._readers_first():
            self._narrow(cell)
            for sig, wide, sign in operands(cell, self.result_width(cell)):
                self._use(part_of(sig, 0, wide), by_name=sign and width_of(sig) < wide)

    def _use(self, sig: Sig, *, by_name: bool) -> None:
        for piece in sig:
            if isinstance(piece, Slice):
                self.uses[piece.wire].append(Use(piece, by_name))

    def _narrow(self, cell: Cell) -> None:
        """Drops the highest bits of ``cell``'s result that nothing reads."""
        while len(cell.ports["Y"]) > 1 and cell.kind in NARROWABLE and self._is_idle(cell.ports["Y"][-1]):
            idle = cell.ports["Y"][-1]
            assert isinstance(idle, Slice)
            del self.drivers[idle.wire]
            cell.ports["Y"] = cell.ports["Y"][:-1]
        piece = cell.ports["Y"][0]
        if not isinstance(piece, Slice) or self.driver(piece.wire) is not cell or cell.kind not in NARROWABLE:
            return
        used = [use.slice.low + use.slice.width for use in self.uses[piece.wire]]
        if used:
            self.widths[piece.wire] = max(used)

    def _is_idle(self, piece: Slice | Bits) -> bool:
        """Whether ``piece`` is all that is driven of a wire that nothing reads."""
        return (
            isinstance(piece, Slice)
            and not self.is_port(piece.wire)
            and not self.uses[piece.wire]
            and len(self.drivers[piece.wire]) == 1
        )

    def _readers_first(self) -> list[Cell]:
        """Combinational cells, those that read a result before the one that makes it."""
        order: list[Cell] = []
        seen: set[str] = set()
        for start in filter(combinational, self.netlist.cells):
            stack = [(start, False)]
            while stack:
                cell, done = stack.pop()
                if done:
                    order.append(cell)
                    continue
                if cell.name in seen:
                    continue
                seen.add(cell.name)
                stack.append((cell, True))
                for port in self.inputs_of(cell):
                    for piece in cell.ports[port]:
                        if isinstance(piece, Slice):
                            drivers = self.drivers.get(piece.wire, ())
                            stack += [(c, False) for _, c in drivers if c is not None and combinational(c)]
        return order[::-1]
