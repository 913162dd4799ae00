"""``tilewright presets``."""

from __future__ import annotations

import json

import typer

from tilewright.generators.commands.screen import JsonOption
from tilewright.generators.commands.tables import Column, show


def presets(as_json: JsonOption = False) -> None:
    """List the ready configurations, to be used as --preset NAME."""
    from tilewright.generators.config.engine import EngineConfig
    from tilewright.generators.config.presets import EnginePreset, Preset, engine_presets
    from tilewright.generators.config.presets import presets as presets_of_cores

    found: list[Preset | EnginePreset] = [*presets_of_cores(), *engine_presets()]
    if as_json:
        listing = {p.name: {"purpose": p.purpose, "config": p.config.model_dump(mode="json")} for p in found}
        typer.echo(json.dumps(listing, indent=2))
        return
    columns = (Column("preset"), Column("array"), Column("purpose; formats; largest M x N x K or port", prose=True))
    rows = []
    for entry in found:
        c = entry.config
        vector = f", vector {c.vector}" if c.vector > 1 else ""
        if isinstance(c, EngineConfig):
            formats = f"{c.a} x {c.b} -> {c.acc}, {c.result}{vector}; engine, AXI4 of {c.bus_bits} bits"
        else:
            formats = f"{c.a} x {c.b} -> {c.acc}{vector}; {c.max_m} x {c.max_n} x {c.max_k}"
        rows.append((entry.name, f"{c.rows}x{c.cols} {c.dataflow}", f"{entry.purpose}\n{formats}"))
    show(columns, rows)
