"""``tilewright presets``."""

from __future__ import annotations

import json

import typer

from tilewright.generators.commands.screen import JsonOption, screen


def presets(as_json: JsonOption = False) -> None:
    """List the ready configurations, to be used as --preset NAME."""
    from rich.table import Table

    from tilewright.generators.config.presets import presets as all_presets

    found = all_presets()
    if as_json:
        listing = {p.name: {"purpose": p.purpose, "config": p.config.model_dump(mode="json")} for p in found}
        typer.echo(json.dumps(listing, indent=2))
        return
    table = Table("preset", "array", "dataflow", "A x B -> C", "vector", "largest M x N x K", "purpose")
    for entry in found:
        c = entry.config
        table.add_row(
            entry.name,
            f"{c.rows}x{c.cols}",
            c.dataflow,
            f"{c.a} x {c.b} -> {c.acc}",
            str(c.vector),
            f"{c.max_m} x {c.max_n} x {c.max_k}",
            entry.purpose,
        )
    screen().print(table)
