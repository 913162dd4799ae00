"""``tilewright report formats``."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from tilewright.generators.commands.screen import JsonOption, progress
from tilewright.generators.commands.tables import Column, show

_TEXT = ("operands", "sums", "what a sum promises")


def formats(as_json: JsonOption = False) -> None:
    """Show what a multiply-accumulate costs on ECP5 and what its sum promises, by formats.

    Area is that of one processing element of a weight-stationary array, mapped by synthesis; cycles are those from its
    operand to its sum. What has been mapped once is remembered.

        tilewright report formats
    """
    from tilewright.generators.report.formats import ADD_LATENCY, HEADINGS, PIPELINE, SIZE, format_reports

    done: list[str] = []
    with progress().status("synthesis for ecp5") as status:

        def tell(name: str) -> None:
            done.append(name)
            status.update(f"synthesis for ecp5; done: {', '.join(done)}")

        found = format_reports(tell)
    if as_json:
        document = {
            "report": "formats",
            "device": "ecp5",
            "dataflow": "ws",
            "rows": SIZE,
            "cols": SIZE,
            "pipeline": PIPELINE,
            "formats": [asdict(each) | {"lut4_eq": each.resources.lut4_eq} for each in found],
        }
        typer.echo(json.dumps(document, indent=2))
        return
    columns = [Column(heading.replace(" LUTs", "\nLUTs"), right=heading not in _TEXT) for heading in HEADINGS]
    show(columns, [each.cells for each in found], "one multiply-accumulate on ecp5")
    typer.echo(
        f"elements of a weight-stationary {SIZE}x{SIZE} array with {PIPELINE} register before the add, which takes"
    )
    typer.echo(
        f"{ADD_LATENCY} cycles for fp32 and 1 else; integer sums inside the array are narrow; narrow LUTs: mapped"
    )
    typer.echo("without those of more than four inputs; of windows: bits of all that products can have")
