"""A design around an array that lets its clock be measured: all comes from registers and ends in registers."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.generators.emit.module import VerilogModule

TOP = "harness"
_GENERATOR_BITS = 16
_RESET = 16  # cycles, a register each: nothing is counted, so that no path of the harness is the slowest
_REDUCED = 4  # bits of the result that a register takes one of, through one look-up table


def harness(array: VerilogModule, lane_bits: int) -> str:
    """Verilog of module `TOP` with ports ``clk`` and ``q``.

    Each lane of ``lane_bits`` of an input, and each control, has a generator of pseudo-random numbers and an output
    register of its own, so that synthesis cannot make one register of two. All bits of what comes out reach ``q``,
    through a tree with a register at each node. Reset lasts 16 cycles.
    """
    return "\n".join([f"module {TOP} (input wire clk, output reg q);", *_body(array, lane_bits), "endmodule", ""])


def _body(array: VerilogModule, lane_bits: int) -> Iterator[str]:
    yield f"  reg [{_RESET - 1}:0] asleep;"
    yield f"  initial asleep = {_RESET}'d{(1 << _RESET) - 1};"
    yield f"  wire rst = asleep[{_RESET - 1}];"
    yield f"  always @(posedge clk) asleep <= {{asleep[{_RESET - 2}:0], 1'b0}};"
    number = 0
    for port in array.ports:
        if port.name in ("clk", "rst"):
            continue
        yield f"  wire [{port.width - 1}:0] {port.name}_;"
        if port.direction == "input":
            for low in range(0, port.width, lane_bits):
                width = min(lane_bits, port.width - low)
                yield from _generator(number, width)
                yield f"  assign {port.name}_[{low} +: {width}] = lane{number};"
                number += 1
    pins = [f".{port.name}({_at(port.name)})" for port in array.ports]
    yield f"  {array.name} array ({', '.join(pins)});"
    found = [port for port in array.ports if port.direction == "output"]
    width = sum(port.width for port in found)
    yield f"  wire [{width - 1}:0] found = {{{', '.join(f'{port.name}_' for port in found)}}};"
    yield from _tree("found", width)


def _at(port: str) -> str:
    return port if port in ("clk", "rst") else f"{port}_"


def _generator(number: int, width: int) -> Iterator[str]:
    """x^16 + x^14 + x^13 + x^11 + 1, from a start of its own."""
    state, start = f"random{number}", (40_503 * (number + 1)) % (1 << _GENERATOR_BITS) or 1
    yield f"  reg [{_GENERATOR_BITS - 1}:0] {state};"
    yield f"  initial {state} = {_GENERATOR_BITS}'d{start};"
    yield f"  reg [{width - 1}:0] lane{number};"
    yield f"  wire next{number} = {state}[15] ^ {state}[13] ^ {state}[12] ^ {state}[10];"
    taken = f"{state}[{width - 1}:0]"
    yield f"  always @(posedge clk) begin {state} <= {{{state}[14:0], next{number}}}; lane{number} <= {taken}; end"


def _tree(word: str, width: int) -> Iterator[str]:
    level = 0
    while width > 1:
        count = -(-width // _REDUCED) if level else width
        yield f"  reg [{count - 1}:0] level{level};"
        if level:
            for node in range(count):
                low = _REDUCED * node
                high = min(low + _REDUCED, width) - 1
                yield f"  always @(posedge clk) level{level}[{node}] <= ^{word}[{high}:{low}];"
        else:
            yield f"  always @(posedge clk) level0 <= {word};"
        word, width, level = f"level{level}", count, level + 1
    yield f"  always @(posedge clk) q <= {word};"
