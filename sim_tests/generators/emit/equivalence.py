"""Proof that a written module does what its netlist says: every register and every instance port, for all inputs.

Registers and instances are cut out of both sides: what they give becomes an input, what they are given an output. What
is left is combinational; a SAT solver compares it, one named wire after the other.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.elaborate import top
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.emit.netlist import Bits, Netlist, Sig, Slice, fields, part_of, read
from tilewright.generators.emit.symbols import enums
from tilewright.generators.emit.writer import Writer
from tilewright.generators.emit.yosys import run


def shell(
    netlist: Netlist, outputs: Mapping[str, Collection[str]], names: Mapping[str, tuple[str, int]], title: str
) -> str:
    """RTLIL of ``netlist`` without registers and instances; ``names`` gives Verilog names (and widths of wires)."""
    lines = [f"module \\{title}"]
    connections: list[tuple[str, str]] = []
    cells: list[str] = []
    number = 0

    def port(label: str, width: int, direction: str) -> str:
        nonlocal number
        number += 1
        lines.append(f"  wire width {width} {direction} {number} \\{label}")
        return f"\\{label}"

    for wire in netlist.wires.values():
        if wire.direction:
            label = port(names[wire.name][0], wire.width, wire.direction)
            lines.append(f"  wire width {wire.width} {_inner(wire.name)}")
            ends = (_inner(wire.name), label)
            connections.append(ends if wire.direction == "input" else ends[::-1])
        else:
            lines.append(f"  wire width {wire.width} {_inner(wire.name)}")
            if wire.name in names:  # what the other side has too: a waypoint of the proof
                known, width = names[wire.name]
                lines.append(f"  wire width {width} \\at:{known}")
                connections.append((f"\\at:{known}", f"{_inner(wire.name)} [{width - 1}:0]"))
    next_values: dict[str, list[tuple[Slice, Sig]]] = defaultdict(list)
    for cell in netlist.cells:
        if cell.kind == "$dff":
            low = 0
            for piece in cell.ports["Q"]:
                assert isinstance(piece, Slice)
                next_values[piece.wire].append((piece, part_of(cell.ports["D"], low, piece.width)))
                low += piece.width
        elif not cell.kind.startswith("$"):
            for pin, sig in cell.ports.items():
                label = f"{names[cell.name][0]}.{pin}"
                width = sum(piece.width for piece in sig)
                if pin in outputs[cell.kind]:
                    connections.append((_sig(sig), port(label, width, "input")))
                else:
                    connections.append((port(label, width, "output"), _sig(sig)))
        else:
            cells.append(f"  cell {cell.kind} {cell.name}")
            cells += [f"    parameter \\{key} {value}" for key, value in cell.parameters.items()]
            cells += [f"    connect \\{pin} {_sig(sig)}" for pin, sig in cell.ports.items()]
            cells.append("  end")
    for register, parts in next_values.items():
        label, width = names[register]
        now, after = port(f"{label}.q", width, "input"), port(f"{label}.d", width, "output")
        for piece, value in parts:
            at = f"[{piece.low + piece.width - 1}:{piece.low}]"
            connections.append((_sig((piece,)), f"{now} {at}"))
            connections.append((f"{after} {at}", _sig(value)))
    connections += [(_sig(driven), _sig(driver)) for driven, driver in netlist.connections]
    return "\n".join([*lines, *cells, *(f"  connect {a} {b}" for a, b in connections), "end", ""])


def _inner(wire: str) -> str:
    """What ``wire`` is called inside; names that Yosys made up stay private: both sides have them, of other wires."""
    return f"$inner:{wire}" if wire.startswith("$") else f"\\inner:{wire}"


def _sig(sig: Sig) -> str:
    words = [
        f"{piece.width}'{piece.value}"
        if isinstance(piece, Bits)
        else f"{_inner(piece.wire)} [{piece.low + piece.width - 1}:{piece.low}]"
        for piece in reversed(sig)
    ]
    return f"{{ {' '.join(words)} }}"


def prove_equal(
    netlist: Netlist,
    text: str,
    stubs: str,
    outputs: Mapping[str, Collection[str]],
    names: Mapping[str, tuple[str, int]],
) -> None:
    """YosysFailed unless Verilog ``text`` equals ``netlist``; ``stubs`` declares what it instantiates."""
    with tempfile.TemporaryDirectory() as folder:
        verilog, rtlil = Path(folder) / "gate.v", Path(folder) / "gate.il"
        verilog.write_text(stubs + text)
        run([f"read_verilog {verilog}", "proc -noopt", "opt_clean", f"write_rtlil {rtlil}"])
        (gate,) = (module for module in read(rtlil.read_text()) if module.name == netlist.name)
        own = {wire: (wire.removeprefix("\\"), w.width) for wire, w in gate.wires.items() if wire.startswith("\\")}
        own |= {cell.name: (cell.name.removeprefix("\\"), 0) for cell in gate.cells}
        both = Path(folder) / "both.il"
        both.write_text(shell(netlist, outputs, names, "gold") + shell(gate, outputs, own, "gate"))
        run(
            [
                f"read_rtlil {both}",
                "equiv_make gold gate both",
                "opt_expr both",
                "opt_merge both",
                "equiv_struct both",
                "equiv_simple both",
                "equiv_status -assert both",
            ]
        )


def prove_design(config: SystolicConfig) -> int:
    """Proves every module of ``config`` that is written from a netlist; returns how many that are."""
    emitter = Emitter(config.module_name)
    emitter.emit(top(config))
    emitted = list(emitter.emitted)
    written, untouched = emitter.netlists(), emitter.netlists()
    outputs = {entry.module: entry.outputs for entry in emitted}
    stubs = {
        entry.module: f"(* blackbox *) module {entry.module}({', '.join(port.name for port in entry.ports)});\n"
        + "".join(f"{port.direction} [{port.width - 1}:0] {port.name};\n" for port in entry.ports)
        + "endmodule\n"
        for entry in emitted
    }
    for entry in emitted:
        if entry.rtlil is None:
            continue
        writer = Writer(
            written[entry.module], outputs, fields(entry.rtlil, entry.module), enums(entry.rtlil, entry.module)
        )
        text = writer.module().text
        others = "".join(stub for name, stub in stubs.items() if name != entry.module)
        prove_equal(untouched[entry.module], text, others, outputs, writer.given_names())
    return len(written)
