"""The comment at the head of the emitted Verilog."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.interface import FIELDS, LAYOUTS, Interface, PortNote
from tilewright.generators.emit.latency import formulas
from tilewright.hdl.systolic.records import Status

_WIDTH = 118


def header(config: SystolicConfig, outside: Interface) -> str:
    """What the design is, how to make it again, its timing, its ports and records."""
    return "".join(f"// {line}".rstrip() + "\n" for line in _lines(config, outside))


def _lines(config: SystolicConfig, outside: Interface) -> Iterable[str]:
    kind = "GEMM core, C = start + A @ B" if config.product == "core" else "Systolic array"
    yield f"{config.module_name}: {kind}, {config.rows} rows x {config.cols} columns of processing elements"
    yield ""
    yield from _wrapped("Made by", canonical_command(config))
    yield "This generated HDL belongs to its user, who may use it in any way, without any condition."
    yield ""
    yield from _table(_parameters(config))
    yield ""
    yield "Latency in clock cycles, of commands from the edge that takes one to the edge that offers its completion:"
    for formula in formulas(config):
        value = "" if formula.cycles is None else f" = {formula.cycles}"
        yield from _wrapped(f"  {formula.name}", formula.text + value)
    yield ""
    yield "Ports:"
    yield from _table([(_port(port), port.meaning) for port in outside.ports])
    if outside.streams:
        for record, layout in LAYOUTS.items():
            yield ""
            yield f"{record}, {layout.size} bits:"
            yield from _table(
                [
                    (f"[{_bits(layout[name].offset, layout[name].width)}] {name}", FIELDS[name])
                    for name in layout.members
                ]
            )
        yield ""
        yield from _wrapped("STATUS", ", ".join(f"{status.value} {status.name}" for status in Status))


def _parameters(config: SystolicConfig) -> list[tuple[str, str]]:
    flow = {"ws": "weight-stationary", "os": "output-stationary", "is": "input-stationary", "any": "chosen by command"}
    overflow = "saturate at every step" if config.saturates else "wrap"
    rows = [
        ("dataflow", f"{config.dataflow}: {flow[config.dataflow]}"),
        ("numbers", f"A {config.a}, B {config.b}, C {config.acc}; accumulators {overflow}"),
        ("safe K", f"{config.safe_k}: longest K whose sums, started from zero, cannot leave {config.acc}"),
        ("element", f"dot product of {config.vector}, {config.pipeline} pipeline registers"),
    ]
    if config.product == "core":
        for name, pad in vars(config.scratchpads).items():
            banks = f"{pad.banks} banks" if pad.banks > 1 else "one memory"
            regions = f", {pad.regions} regions" if pad.regions > 1 else ""
            rows.append(
                (
                    f"scratchpad {name.upper()}",
                    f"{pad.words} words of {pad.lanes} x {pad.element_bits} bits, {banks}{regions}",
                )
            )
    return rows


def _port(port: PortNote) -> str:
    sign = "" if port.sign == "bits" else f" {port.sign}"
    width = f" {port.lanes} x {port.width // port.lanes}" if port.lanes > 1 else f" {port.width}"
    return f"{port.direction:6} {port.name}{width}{sign}"


def _bits(low: int, width: int) -> str:
    return f"{low + width - 1}:{low}" if width > 1 else str(low)


def _table(rows: list[tuple[str, str]]) -> Iterable[str]:
    space = max(len(left) for left, _ in rows)
    for left, right in rows:
        yield from textwrap.wrap(
            f"  {left:{space}}  {right}", _WIDTH, subsequent_indent=" " * (space + 4), break_on_hyphens=False
        )


def _wrapped(label: str, text: str) -> Iterable[str]:
    indent = len(label) - len(label.lstrip()) + 4
    return textwrap.wrap(
        f"{label}: {text}", _WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False
    )
