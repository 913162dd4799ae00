"""Regular structures as Verilog generate loops: their text does not grow with their size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from amaranth.hdl import Shape
from amaranth.lib.wiring import In

from tilewright.generators.emit.module import Port, head
from tilewright.hdl.memory.ram import Ram
from tilewright.hdl.memory.register_file import RegisterFile
from tilewright.hdl.structure import Block, Repeat, Skew
from tilewright.hdl.systolic.product import Product

Emit = Callable[[Block], Any]


@dataclass(frozen=True)
class RegularText:
    """Ports and complete text of a module that is written here rather than by Yosys; see `VerilogModule`."""

    ports: tuple[Port, ...]
    text: str
    cell: str = ""


@singledispatch
def write(block: Block, name: str, emit: Emit) -> RegularText | None:
    """The module for ``block``, or None where ``block`` is no regular structure and Amaranth elaborates it."""
    return None


def ports_of(block: Block, *, clock: bool, reset: bool) -> tuple[Port, ...]:
    """Clock, reset, and the members of a block."""
    ports = [Port("clk", "input", 1)] * clock + [Port("rst", "input", 1)] * reset
    for name, member in block.signature.members.items():
        shape = Shape.cast(member.shape)
        ports.append(Port(name, "input" if member.flow is In else "output", shape.width, shape.signed))
    return tuple(ports)


@write.register
def _repeat(block: Repeat, name: str, emit: Emit) -> RegularText:
    unit = emit(block.unit)
    ports = ports_of(block, clock=unit.has("clk"), reset=unit.has("rst"))
    n, widths, label = block.count, {p.name: p.width for p in unit.ports}, block.label
    wires, first, later, ends, dropped = [], [], [], [], []
    connections = [f".{port}({port})" for port in ("clk", "rst", *block.shared) if unit.has(port)]
    for source, sink in block.chain.items():
        extent = f" [{widths[source] - 1}:0]" if widths[source] > 1 else ""
        wires.append(f"      wire{extent} to_{source}, from_{sink};\n")
        first.append(f"        assign to_{source} = {source};\n")
        later.append(f"        assign to_{source} = {label}[i-1].from_{sink};\n")
        far = f"{label}[{n - 1}].from_{sink}"
        if sink in block.drop:
            dropped.append(far)
        else:
            ends.append(f"  assign {sink} = {far};\n")
        connections += [f".{source}(to_{source})", f".{sink}(from_{sink})"]
    connections += [f".{port}({_lane(port, widths[port], n)})" for port in block.lanes]
    if first:
        wires.append("      if (i == 0) begin : first\n" + "".join(first) + "      end else begin : later\n")
        wires.append("".join(later) + "      end\n")
    if dropped:
        ends.append(f"  wire unused = &{{1'b0, {', '.join(dropped)}}};\n")
    body = (
        f"  genvar i;\n  generate\n    for (i = 0; i < {n}; i = i + 1) begin : {label}\n{''.join(wires)}"
        f"      {unit.module} unit (\n        "
        + ",\n        ".join(connections)
        + "\n      );\n    end\n  endgenerate\n"
    )
    return RegularText(ports, head(name, ports) + body + "".join(ends) + "endmodule\n")


def _lane(port: str, width: int, count: int) -> str:
    """Lane ``i`` of ``port``; a port of one bit has none to choose from."""
    if width == 1:
        return f"{port}[i]" if count > 1 else port
    return f"{port}[i*{width} +: {width}]"


@write.register
def _skew(block: Skew, name: str, emit: Emit) -> RegularText:
    ports = ports_of(block, clock=block.count > 1, reset=block.count > 1 and block.reset)
    n, w = block.count, block.width
    if n == 1:
        return RegularText(ports, head(name, ports) + "  assign q = d;\nendmodule\n")
    depth = f"{n - 1} - i" if block.reverse else "i"
    if block.step > 1:
        depth = f"({depth})*{block.step}" if block.reverse else f"{depth}*{block.step}"
    clear = "if (rst) line <= 0;\n          else " if block.reset else ""
    body = (
        f"  genvar i;\n  generate\n    for (i = 0; i < {n}; i = i + 1) begin : lane\n"
        f"      localparam DEPTH = {depth};\n"
        f"      if (DEPTH == 0) begin : prompt\n        assign q[i*{w} +: {w}] = d[i*{w} +: {w}];\n"
        f"      end else begin : delayed\n"
        f"        reg [DEPTH*{w}-1:0] line;\n"
        f"        wire [(DEPTH+1)*{w}-1:0] pushed = {{line, d[i*{w} +: {w}]}};\n"
        f"        wire unused = &{{1'b0, pushed[(DEPTH+1)*{w}-1 -: {w}]}};\n"
        f"        always @(posedge clk)\n          {clear}line <= pushed[DEPTH*{w}-1:0];\n"
        f"        assign q[i*{w} +: {w}] = line[DEPTH*{w}-1 -: {w}];\n"
        "      end\n    end\n  endgenerate\n"
    )
    return RegularText(ports, head(name, ports) + body + "endmodule\n")


@write.register
def _ram(block: Ram, name: str, emit: Emit) -> RegularText:
    ports = ports_of(block, clock=True, reset=False)
    word, w = block.width * block.lanes, block.width
    store = (
        "    if (write_enable)\n      words[write_address] <= write_data;\n"
        if block.lanes == 1
        else f"    for (i = 0; i < {block.lanes}; i = i + 1)\n      if (write_enable[i])\n"
        f"        words[write_address][i*{w} +: {w}] <= write_data[i*{w} +: {w}];\n"
    )
    body = (
        # Without the attribute Yosys compares addresses and keeps a copy of what is written: 30 flip-flops a bank.
        "  // No word is read while it is written, so what that would give is free.\n"
        f"  (* no_rw_check *) reg [{word - 1}:0] words [0:{block.depth - 1}];\n"
        + ("  integer i;\n" if block.lanes > 1 else "")
        + f"  always @(posedge clk) begin\n{store}"
        + "    if (read_enable)\n      read_data <= words[read_address];\n  end\n"
    )
    return RegularText(ports, head(name, ports, ("read_data",)) + body + "endmodule\n")


@write.register
def _register_file(block: RegisterFile, name: str, emit: Emit) -> RegularText:
    ports = ports_of(block, clock=True, reset=False)
    body = (
        f"  reg [{block.width - 1}:0] words [0:{block.depth - 1}];\n"
        "  assign read_data = words[read_address];\n"
        "  always @(posedge clk)\n    if (write_enable)\n      words[write_address] <= write_data;\n"
    )
    return RegularText(ports, head(name, ports) + body + "endmodule\n")


@write.register
def _product(block: Product, name: str, emit: Emit) -> RegularText:
    ports = ports_of(block, clock=True, reset=False)
    x, y, group = block.x_bits, block.y_bits, block.GROUP
    count = y // group + 1  # one bit of padding at least, so that the text is the same for every width
    width, pad = count * group, count * group - y
    extended = f"{{{width - group}'d0, part}}" if width > group else "part"
    copies = []
    for bit in range(group):
        shifted = f"{{{group - bit}'d0, x" + (f", {bit}'d0}}" if bit else "}")
        copies.append(f"(bits[{group}*i+{bit}] ? {shifted} : {{{x + group}{{1'b0}}}})")
    body = (
        f"  wire [{width - 1}:0] bits = {{{pad}'d0, y}};\n"
        f"  genvar i;\n  generate\n    for (i = 0; i < {count}; i = i + 1) begin : group\n"
        f"      reg [{x + group - 1}:0] part;\n      wire [{x + width - 1}:0] sum;\n"
        f"      always @(posedge clk)\n        part <= {copies[0]}\n"
        + "".join(f"          + {copy}{';' if copy is copies[-1] else ''}\n" for copy in copies[1:])
        + f"      if (i == 0) begin : first\n        assign sum = {extended};\n"
        f"      end else begin : later\n"
        f"        assign sum = group[i-1].sum + ({extended} << {group}*i);\n      end\n"
        f"    end\n  endgenerate\n"
        f"  always @(posedge clk)\n    q <= group[{count - 1}].sum[{x + y - 1}:0];\n"
    )
    body += f"  wire unused = &{{1'b0, group[{count - 1}].sum[{x + width - 1}:{x + y}]}};\n"
    return RegularText(ports, head(name, ports, ("q",)) + body + "endmodule\n")
