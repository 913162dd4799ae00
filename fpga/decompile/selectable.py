"""A bitstream as Verilog in which flips of its bits sleep until one is chosen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from tilewright.fpga.decompile.fabric import Segment
from tilewright.fpga.decompile.flips import Design, Flip, View


def selectable(
    design: Design,
    flips: Mapping[int, Flip],
    module: str,
    choice: str,
    watch: Callable[[Mapping[int, str]], Iterable[str]] = lambda differences: (),
) -> str:
    """The module of a bitstream, as `decompiled` gives it, with flips.

    Cells that a flip changes are there a second time, as they are then; of what drives a net, the number tells which.

    Args:
        design: the bitstream.
        flips: by number, 1 and up.
        module: its name.
        choice: lines that declare and drive a wire ``mutant``, which tells the number.
        watch: gives lines to expressions, by flip, that tell whether any of its cells has another output, at which
            anything is.
    """
    picks: dict[int, dict[int, int]] = {}
    for number, flip in flips.items():
        for net, other in flip.outputs.items():
            picks.setdefault(net, {})[number] = other
    asleep = {net: design.new() for net in picks}
    own: dict[Segment, int] = {segment: asleep[net] for segment, net in design.drivers.items() if net in asleep}
    view = View(design, own=own)
    body = [line for place in design.cells for line in view.lines(place)]
    for number, flip in flips.items():
        body += [*flip.wires, *(renamed for lines in flip.cells.values() for renamed in _named(lines, number))]
    body += [f"assign n{net} = {_picked(others, f'n{asleep[net]}')};" for net, others in picks.items()]
    body += [*_ports(design, flips), *watch({k: _differs(flip, asleep, design) for k, flip in flips.items()})]
    fabric = design.fabric
    heads = [f"input wire {port}" for port in sorted(fabric.inputs)]
    heads += [f"output wire {port}" for port in sorted(fabric.outputs)]
    lines = [f"module {module} ({', '.join(heads)});", choice]
    lines += [f"wire n{net};" for net in range(design.new())]
    return "\n".join([*lines, *body, "endmodule"]) + "\n"


def _ports(design: Design, flips: Mapping[int, Flip]) -> Iterator[str]:
    fabric = design.fabric
    for port, net in sorted(fabric.inputs.items()):
        yield f"assign n{net} = {port};"
    for port, net in sorted(fabric.outputs.items()):
        told = "".join(f"mutant == {k} ? {f.ports[port]} : " for k, f in flips.items() if port in f.ports)
        yield f"assign {port} = {told}n{net};"


def _differs(flip: Flip, asleep: Mapping[int, int], design: Design) -> str:
    read = set(re.findall(r"\bn\d+", "".join(line for lines in flip.cells.values() for line in lines)))
    seen = {net: other for net, other in flip.outputs.items() if design.is_read(net) or f"n{net}" in read}
    pairs = [(f"n{asleep[net]}", f"n{other}") for net, other in seen.items()]
    pairs += [(f"n{design.fabric.outputs[port]}", then) for port, then in flip.ports.items()]
    return " |\n".join(f"({one} ^ {other})" for one, other in pairs) or "1'b0"


def _picked(others: Mapping[int, int], asleep: str) -> str:
    return "".join(f"mutant == {number} ? n{net} : " for number, net in others.items()) + asleep


def _named(lines: tuple[str, ...], number: int) -> Iterator[str]:
    """Instances with names of their own."""
    for line in lines:
        yield re.sub(r"\b((?:ram|dsp|spram)(?:_\d+)+) \(", rf"\1_{number} (", line)
