"""A netlist as a Verilog module."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from tilewright.generators.emit.expression import Choice, Expression, Text, concatenated, constant, line, lines
from tilewright.generators.emit.graph import Graph, combinational
from tilewright.generators.emit.module import Port, VerilogModule, head
from tilewright.generators.emit.names import Names, is_anonymous
from tilewright.generators.emit.netlist import Bits, Cell, Netlist, Sig, Slice, joined, part_of, spread, width_of
from tilewright.generators.emit.operators import CHOICES, choices, expression
from tilewright.generators.emit.registers import ROOM, If, Statement, Write, clocked
from tilewright.generators.emit.symbols import Enums, name_values

LONGEST = 64
"""Characters of an anonymous expression that is written where it is used; longer ones get a name."""
REPEATED = 20
"""The same for one that is used more than once."""


class Writer:
    """Writes one module. ``fields`` names parts of wires: (wire, low, width) -> name; ``enums`` their values."""

    def __init__(
        self,
        netlist: Netlist,
        outputs: Mapping[str, Collection[str]],
        fields: Mapping[tuple[str, int, int], str],
        enums: Enums,
    ) -> None:
        self._graph = Graph(netlist, outputs)
        name_values(self._graph, enums)
        self._values_named: dict[Bits, str] = {}
        self.netlist = netlist
        self.names = Names(self._graph)
        self._fields = fields
        self._field_names: dict[tuple[str, int, int], str] = {}
        self._early_fields: list[str] = []
        self._early: set[str] = set()
        self._declared: set[str] = set()
        self._declarations: list[str] = []
        self._definitions: list[str] = []
        self._values: dict[str, Expression] = {}
        self._reads: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._registers = {
            s.wire for c in netlist.cells if c.kind == "$dff" for s in c.ports["Q"] if isinstance(s, Slice)
        }

    def module(self) -> VerilogModule:
        """The module."""
        netlist, graph = self.netlist, self._graph
        ports = tuple(
            Port(w.name.lstrip("\\"), w.direction, w.width, w.signed) for w in netlist.wires.values() if w.direction
        )
        self._declare()
        instances = [text for cell in netlist.cells if not cell.kind.startswith("$") for text in self._instance(cell)]
        statements = [s for cell in netlist.cells if cell.kind == "$dff" for s in self._register(cell)]
        clocks = {self._read(cell.ports["CLK"], False) for cell in netlist.cells if cell.kind == "$dff"}
        blocks = clocked(line(clocks.pop()), statements, "rst") if clocks else []
        if clocks:
            raise NotImplementedError(f"{netlist.name} has several clocks")
        assigns = [self._assign(driven, self._read(driver, True)) for driven, driver in graph.assigned]
        for cell in netlist.cells:
            if combinational(cell) and any(self._is_fixed(s) for s in cell.ports["Y"]):
                width = width_of(cell.ports["Y"])
                assigns.append(self._assign(cell.ports["Y"], expression(cell, width, self._read)))
        reg_ports = [p.name for p in ports if f"\\{p.name}" in self._registers]
        text = head(netlist.name, ports, reg_ports)
        sections = [
            self._parameters(),
            self._declarations,
            self._early_fields,
            self._definitions,
            self._unused(),
            blocks,
            instances,
            assigns,
        ]
        text += "\n".join("".join(f"{entry}\n" for entry in section) for section in sections if section)
        return VerilogModule(netlist.name, ports, text + "endmodule\n")

    def given_names(self) -> dict[str, tuple[str, int]]:
        """Verilog name and width of every wire and instance that has a name in the text, by its name in the netlist."""
        return {key: (name, self._graph.width(key)) for key, name in self.names.given.items()}

    def _declare(self) -> None:
        """Declares registers, what instances drive, and wires that are driven in parts."""
        graph = self._graph
        for wire, drivers in graph.drivers.items():
            cells = {id(cell): cell for _, cell in drivers}.values()
            if graph.is_port(wire) or (graph.driver(wire) is not None):
                continue
            register = any(cell is not None and cell.kind == "$dff" for cell in cells)
            if register and not all(cell is not None and cell.kind == "$dff" for cell in cells):
                raise NotImplementedError(f"{wire} of {self.netlist.name} is a register in part")
            name = self.names.name(wire)
            if not graph.uses[wire]:
                name = self.names.rename(wire, f"unused_{name}")
            self._declarations.append(f"  {'reg ' if register else 'wire'}{_extent(graph.width(wire))} {name};")
            self._early.add(wire)
        self._declared |= self._early

    def _is_fixed(self, piece: Slice | Bits) -> bool:
        """Whether ``piece``, a result, belongs to a wire that is assigned rather than defined."""
        return isinstance(piece, Slice) and (self._graph.is_port(piece.wire) or piece.wire in self._early)

    def _unused(self) -> list[str]:
        """A wire that reads all bits that nothing else does, so that tools do not warn of them."""
        graph = self._graph
        spare: list[Expression] = []
        for wire in [*graph.netlist.wires, *(w for w in graph.drivers if w not in graph.netlist.wires)]:
            if graph.is_port(wire):
                if graph.netlist.wires[wire].direction == "output":
                    continue
            elif wire not in self._declared or not graph.uses[wire]:
                continue
            at = 0
            for low, high in [*sorted(self._reads[wire]), (graph.width(wire), 0)]:
                if low > at:
                    spare.append(Text(self._slice_name(Slice(wire, at, low - at)), low - at))
                at = max(at, high)
        if not spare:
            return []
        listed = ", ".join(line(entry) for entry in spare)
        return [f"  wire {self.names.fresh('unused')} = &{{1'b0, {listed}}};"]

    def _instance(self, cell: Cell) -> list[str]:
        outputs = self._graph.outputs_of(cell)
        pins = []
        for port, sig in cell.ports.items():
            value = self._target(sig) if port in outputs else line(self._read(sig, False))
            pins.append(f"    .{port}({value})")
        return [f"  {cell.kind} {self.names.instance(cell)} (", ",\n".join(pins), "  );"]

    def _assign(self, driven: Sig, value: Expression) -> str:
        return f"  assign {self._target(driven)} = {lines(value, '      ', ROOM)};"

    def _target(self, sig: Sig) -> str:
        pieces = [self._slice_name(piece) for piece in reversed(sig) if isinstance(piece, Slice)]
        return pieces[0] if len(pieces) == 1 else f"{{{', '.join(pieces)}}}"

    def _register(self, cell: Cell) -> list[Statement]:
        q, d = cell.ports["Q"], cell.ports["D"]
        found: list[Statement] = []
        low = 0
        for piece in q:
            if isinstance(piece, Slice):
                found += self._update(piece, part_of(d, low, piece.width))
            low += piece.width
        return found

    def _update(self, register: Slice, value: Sig) -> list[Statement]:
        """What writes ``value`` to ``register``: a tree of conditions, nothing where it keeps its value."""
        if value == (register,):
            return []
        cell = self._only_reader_of(value)
        if cell is None or cell.kind not in CHOICES:
            return [Write(self._slice_name(register), self._read(value, True))]
        ways, otherwise = choices(cell)
        width = register.width
        found = self._update(register, part_of(otherwise, 0, width))
        for condition, chosen in reversed(ways):
            yes = self._update(register, part_of(chosen, 0, width))
            if yes or found:
                found = [If(self._read(condition, False), tuple(yes), tuple(found))]
        return found

    def _only_reader_of(self, value: Sig) -> Cell | None:
        """The cell behind ``value`` when it is anonymous and nothing else reads it."""
        if len(value) != 1 or not isinstance(value[0], Slice) or value[0].low != 0:
            return None
        wire = value[0].wire
        cell = self._graph.driver(wire)
        alone = is_anonymous(wire) and len(self._graph.uses[wire]) == 1 and self._graph.width(wire) == value[0].width
        return cell if alone else None

    def _read(self, sig: Sig, tail: bool) -> Expression:
        """``sig`` as an expression; ``tail`` allows a long chain of choices."""
        parts: list[Expression] = []
        for piece in spread(joined(sig)):
            if isinstance(piece, Bits):
                parts.append(self._constant(piece))
            else:
                parts.append(self._piece(piece, tail and len(sig) == 1))
        return concatenated(parts[::-1])

    def _constant(self, bits: Bits) -> Expression:
        value = constant(bits.value)
        if not bits.name:
            return value
        if bits not in self._values_named:
            self._values_named[bits] = self.names.fresh(bits.name)
        return Text(self._values_named[bits], value.width)

    def _parameters(self) -> list[str]:
        """The values that have names, by value."""
        named = sorted(self._values_named.items(), key=lambda entry: (entry[0].name.split("_")[0], entry[0].value))
        return [f"  localparam{_extent(bits.width)} {name} = {line(constant(bits.value))};" for bits, name in named]

    def _piece(self, piece: Slice, tail: bool) -> Expression:
        value = self._inlined(piece, tail)
        if value is not None:
            return value
        self._define(piece.wire)
        self._reads[piece.wire].append((piece.low, piece.low + piece.width))
        key = (piece.wire, piece.low, piece.width)
        return Text(self._field(key, piece) if key in self._fields else self._slice_name(piece), piece.width)

    def _field(self, key: tuple[str, int, int], piece: Slice) -> str:
        """The name of a part of a wire that the designer gave a name."""
        if key not in self._field_names:
            name = self.names.fresh(self._fields[key])
            self._field_names[key] = name
            early = self._graph.is_port(piece.wire) or piece.wire in self._early
            target = self._early_fields if early else self._definitions
            target.append(f"  wire{_extent(piece.width)} {name} = {self._slice_name(piece)};")
        return self._field_names[key]

    def _inlined(self, piece: Slice, tail: bool) -> Expression | None:
        """The expression behind ``piece`` when it can stand where ``piece`` is read."""
        cell = self._graph.driver(piece.wire)
        if cell is None or not is_anonymous(piece.wire) or cell.kind == "$mul" or piece.wire in self._declared:
            return None
        uses = self._graph.uses[piece.wire]
        width = self._graph.width(piece.wire)
        if any(use.by_name or use.slice.low or use.slice.width != width for use in uses):
            return None
        value = self._value(cell, piece.wire)
        if tail and isinstance(value, Choice) and len(uses) == 1:
            return value
        return value if len(line(value)) <= (LONGEST if len(uses) == 1 else REPEATED) else None

    def _value(self, cell: Cell, wire: str) -> Expression:
        if wire not in self._values:
            self._values[wire] = expression(cell, self._graph.width(wire), self._read)
        return self._values[wire]

    def _define(self, wire: str) -> None:
        """Writes the definition of ``wire`` unless it is declared already."""
        cell = self._graph.driver(wire)
        if cell is None or wire in self._declared:
            return
        self._declared.add(wire)
        value = lines(self._value(cell, wire), "      ", ROOM)
        self._definitions.append(f"  wire{_extent(self._graph.width(wire))} {self.names.name(wire)} = {value};")

    def _slice_name(self, piece: Slice) -> str:
        name = self.names.name(piece.wire)
        width = self._graph.width(piece.wire)
        if piece.width == width:
            return name
        if piece.width == 1:
            return f"{name}[{piece.low}]"
        return f"{name}[{piece.low + piece.width - 1}:{piece.low}]"


def _extent(width: int) -> str:
    return f" [{width - 1}:0]" if width > 1 else ""
