"""``tilewright report functions``."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from tilewright.generators.commands.screen import JsonOption
from tilewright.generators.commands.tables import Column, show


def functions(as_json: JsonOption = False) -> None:
    """Show the elementary functions of bf16: tables, largest errors over all operands, latencies.

    Errors are in units in the last place of the result's binade; one half is the least that any table can have.

        tilewright report functions
    """
    from tilewright.generators.report.functions import HEADINGS, function_reports

    found = function_reports()
    if as_json:
        document = {"report": "functions", "format": "bf16", "functions": [asdict(each) for each in found]}
        typer.echo(json.dumps(document, indent=2))
        return
    columns = [
        Column(heading.replace(" ", "\n", 1), right=heading != HEADINGS[0], spare=heading == "operands tried")
        for heading in HEADINGS
    ]
    show(columns, [each.cells for each in found], "functions of bf16, results in bf16")
