"""The comment at the head of the emitted Verilog."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.elaborate import core_parameters
from tilewright.generators.emit.interface import FIELDS, Interface, PortNote, layouts
from tilewright.generators.emit.latency import formulas
from tilewright.generators.emit.sequence import sequence
from tilewright.hdl.numeric import FloatFormat, FxFormat, code_format
from tilewright.hdl.systolic.records import Status

_WIDTH = 118
_FIXED = "\N{NO-BREAK SPACE}"
_UNBROKEN = re.compile(r"\w+(?: [=+@*/x-] \w+)+|an? [A-Z]+ record")
"""Formulas and names of records, which stay on one line."""
_OF_COMMANDS = ", of commands from the edge that takes one to the edge that offers its completion"


def header(config: SystolicConfig, outside: Interface) -> str:
    """What the design is, how to make it again, its timing, its ports and records."""
    return "".join(f"// {line}".rstrip() + "\n" for line in _lines(config, outside))


def _lines(config: SystolicConfig, outside: Interface) -> Iterable[str]:
    kind = "GEMM core, C = start + A @ B" if config.product == "core" else "Systolic array"
    size = f"{_count(config.rows, 'row')} x {_count(config.cols, 'column')} of processing elements"
    yield f"{config.module_name}: {kind}, {size}"
    yield ""
    yield from _wrapped("Made by", re.sub(" (?!--)", _FIXED, canonical_command(config)))
    yield "This generated HDL belongs to its user, who may use it in any way, without any condition."
    yield ""
    yield from _table(_parameters(config))
    yield ""
    yield "Latency in clock cycles" + (_OF_COMMANDS if config.product == "core" else "") + ":"
    for formula in formulas(config):
        value = "" if formula.cycles is None else f" = {formula.cycles}"
        yield from _wrapped(f"  {formula.name}", re.sub("(?<![,;]) ", _FIXED, formula.text + value))
    yield ""
    if config.product == "array":
        yield from _controls(config)
        yield ""
    yield "Ports:"
    yield from _table([(_port(port), port.meaning) for port in outside.ports])
    if outside.streams:
        for record, layout in layouts(config).items():
            yield ""
            yield f"{record}, {layout.size} bits:"
            yield from _table(
                [
                    (f"[{_bits(layout[name].offset, layout[name].width)}] {name}", FIELDS[name])
                    for name in layout.members
                ]
            )
        yield ""
        yield from _wrapped("STATUS", ", ".join(f"{status.value}{_FIXED}{status.name}" for status in Status))


def _controls(config: SystolicConfig) -> Iterable[str]:
    """The sequence of the controls of a bare array."""
    yield "Sequence of a tile, by clock cycle (controls that are not told are low):"
    steps = list(sequence(config))
    space = max(len(when) for when, _ in steps)
    for when, what in steps:
        yield f"    {when:{space}}  {what}" if when else f"  {what}"


def _parameters(config: SystolicConfig) -> list[tuple[str, str]]:
    chosen = "chosen by command" if config.product == "core" else "chosen by the controls"
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
        ("element", f"{_count(config.vector, 'multiplier')}, {_count(config.pipeline, 'pipeline register')}"),
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
    if config.product == "core":
        for name, pad in vars(config.scratchpads).items():
            banks = f"{pad.banks} banks" if pad.banks > 1 else "one memory"
            regions = f"; {pad.regions} regions, each of that size" if pad.regions > 1 else ""
            rows.append(
                (
                    f"scratchpad {name.upper()}",
                    f"{_count(pad.words, 'word')} of {pad.lanes} x {pad.element_bits} bits, {banks}{regions}",
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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _port(port: PortNote) -> str:
    sign = "" if port.sign == "bits" else f" {port.sign}"
    width = f" {port.lanes} x {port.width // port.lanes}" if port.lanes > 1 else f" {port.width}"
    return f"{port.direction:6} {port.name}{width}{sign}"


def _bits(low: int, width: int) -> str:
    return f"{low + width - 1}:{low}" if width > 1 else str(low)


def _table(rows: list[tuple[str, str]]) -> Iterable[str]:
    space = max(len(left) for left, _ in rows)
    for left, right in rows:
        whole = _UNBROKEN.sub(lambda match: match[0].replace(" ", _FIXED), right)
        yield from _broken(f"  {left:{space}}  {whole}", space + 4)


def _wrapped(label: str, text: str) -> Iterable[str]:
    indent = len(label) - len(label.lstrip()) + 4
    return _broken(f"{label}: {text}", indent)


def _broken(text: str, indent: int) -> Iterable[str]:
    """``text`` in lines, broken at no space that is fixed."""
    for line in textwrap.wrap(
        text, _WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False
    ):
        yield line.replace(_FIXED, " ")
