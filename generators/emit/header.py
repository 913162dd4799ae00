"""The comment at the head of the emitted Verilog."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.comment import FIXED, bits, count, table, wrapped
from tilewright.generators.emit.elaborate import core_parameters
from tilewright.generators.emit.interface import FIELDS, Interface, PortNote, layouts
from tilewright.generators.emit.latency import formulas
from tilewright.generators.emit.sequence import sequence
from tilewright.hdl.numeric import FloatFormat, FxFormat, code_format
from tilewright.hdl.systolic.records import Status

_OF_COMMANDS = ", of commands from the edge that takes one to the edge that offers its completion"


def header(config: SystolicConfig, outside: Interface) -> str:
    """What the design is, how to make it again, its timing, its ports and records."""
    return "".join(f"// {line}".rstrip() + "\n" for line in _lines(config, outside))


def _lines(config: SystolicConfig, outside: Interface) -> Iterable[str]:
    kind = "GEMM core, C = start + A @ B" if config.product == "core" else "Systolic array"
    size = f"{count(config.rows, 'row')} x {count(config.cols, 'column')} of processing elements"
    yield f"{config.module_name}: {kind}, {size}"
    yield ""
    yield from wrapped("Made by", re.sub(" (?!--)", FIXED, canonical_command(config)))
    yield "This generated HDL belongs to its user, who may use it in any way, without any condition."
    yield ""
    yield from table(parameters(config))
    yield ""
    yield "Latency in clock cycles" + (_OF_COMMANDS if config.product == "core" else "") + ":"
    for formula in formulas(config):
        value = "" if formula.cycles is None else f" = {formula.cycles}"
        yield from wrapped(f"  {formula.name}", re.sub("(?<![,;]) ", FIXED, formula.text + value))
    yield ""
    if config.product == "array":
        yield from _controls(config)
        yield ""
    yield "Ports:"
    yield from table([(_port(port), port.meaning) for port in outside.ports])
    if outside.streams:
        for record, layout in layouts(config).items():
            yield ""
            yield f"{record}, {layout.size} bits:"
            yield from table(
                [(f"[{bits(layout[name].offset, layout[name].width)}] {name}", FIELDS[name]) for name in layout.members]
            )
        yield ""
        yield from wrapped("STATUS", ", ".join(f"{status.value}{FIXED}{status.name}" for status in Status))


def _controls(config: SystolicConfig) -> Iterable[str]:
    """The sequence of the controls of a bare array."""
    yield "Sequence of a tile, by clock cycle (controls that are not told are low):"
    steps = list(sequence(config))
    space = max(len(when) for when, _ in steps)
    for when, what in steps:
        yield f"    {when:{space}}  {what}" if when else f"  {what}"


def parameters(config: SystolicConfig) -> list[tuple[str, str]]:
    """What was chosen, and what follows from it: label and words."""
    chosen = "chosen by the controls" if config.product == "array" else "chosen by command"
    flow = {
        "ws": "weight-stationary",
        "os": "output-stationary",
        "is": "input-stationary",
        "any": chosen,
    }
    rule = accumulator_rule(config)
    rows = [
        ("dataflow", f"{config.dataflow}: {flow[config.dataflow]}"),
        ("numbers", f"A {config.a}, B {config.b}, C {config.acc}; accumulators {rule}"),
        ("element", f"{count(config.vector, 'multiplier')}, {count(config.pipeline, 'pipeline register')}"),
    ]
    if isinstance(config.acc, FxFormat):
        n = config.acc.width
        rows.insert(2, ("element of C", f"[{n - 1}:0] integer, [{n}] invalid, [{n + 1}] overflow, [{n + 2}] underflow"))
    if config.safe_k is not None:
        safe = f"{config.safe_k}: longest K whose sums, started from zero, cannot leave {config.acc}"
        rows.insert(2, ("safe K", safe))
    sums = core_parameters(config).operands.sum_width
    if config.product == "array" and sums < code_format(config.acc).width:
        rows[1:3] = [
            ("numbers", f"A {config.a}, B {config.b}; sums int{sums}, which holds the sum of any column"),
            ("C", f"not here: whoever takes the sums adds those of several tiles, at {config.acc} or any other width"),
        ]
    elif config.product == "array":
        rows[1] = ("numbers", f"A {config.a}, B {config.b}, sums {config.acc}; they {rule}")
    if config.product != "array":
        for name, pad in vars(config.scratchpads).items():
            banks = f"{pad.banks} banks" if pad.banks > 1 else "one memory"
            regions = f"; {pad.regions} regions, each of that size" if pad.regions > 1 else ""
            rows.append(
                (
                    f"scratchpad {name.upper()}",
                    f"{count(pad.words, 'word')} of {pad.lanes} x {pad.element_bits} bits, {banks}{regions}",
                )
            )
    return rows


def accumulator_rule(config: SystolicConfig) -> str:
    """What accumulators do, in words."""
    if isinstance(config.acc, FloatFormat):
        return "round once a step, to nearest even"
    if isinstance(config.acc, FxFormat):
        return "wrap, and flag it"
    return "saturate at every step" if config.saturates else "wrap"


def _port(port: PortNote) -> str:
    sign = "" if port.sign == "bits" else f" {port.sign}"
    width = f" {port.lanes} x {port.width // port.lanes}" if port.lanes > 1 else f" {port.width}"
    return f"{port.direction:6} {port.name}{width}{sign}"
