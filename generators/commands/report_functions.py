"""``tilewright report functions``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from tilewright.generators.commands.report_area import DEVICES
from tilewright.generators.commands.screen import JsonOption, progress
from tilewright.generators.commands.tables import Column, show
from tilewright.generators.config.errors import ConfigError, unknown

_CELLS = {"LUT4-eq": "lut4_eq", "FF": "ff", "DSP": "dsp", "EBR": "ebr"}

DeviceOption = Annotated[
    str | None,
    typer.Option(
        "--device", metavar="|".join(DEVICES), help="Show area on a device family as well.", show_default=False
    ),
]


def functions(device: DeviceOption = None, as_json: JsonOption = False) -> None:
    """Show the elementary functions of bf16: tables, largest errors over all operands, latencies.

    Errors are in units in the last place of the result's binade; one half is the least that any table can have. With
    a device every unit is mapped to it by synthesis; what has been mapped once is remembered.

        tilewright report functions --device ecp5
    """
    from tilewright.generators.report.functions import HEADINGS, function_reports, function_units

    if device is not None and device not in DEVICES:
        raise ConfigError(unknown("device", device, DEVICES))
    found = function_reports()
    areas = _map(function_units(), device) if device else {}
    if as_json:
        document = {
            "report": "functions",
            "format": "bf16",
            "device": device,
            "functions": [
                asdict(each)
                | ({"resources": asdict(areas[each.name]) | {"lut4_eq": areas[each.name].lut4_eq}} if device else {})
                for each in found
            ],
        }
        typer.echo(json.dumps(document, indent=2))
        return
    columns = [
        Column(heading.replace(" ", "\n", 1), right=heading != HEADINGS[0], spare=heading == "operands tried")
        for heading in HEADINGS
    ]
    show(columns, [each.cells for each in found], "functions of bf16, results in bf16")
    if device:
        rows = [(name, *(f"{getattr(area, cell):,}" for cell in _CELLS.values())) for name, area in areas.items()]
        show([Column("function"), *(Column(cell, right=True) for cell in _CELLS)], rows, f"area on {device}")


def _map(units: dict[str, Any], device: str) -> dict[str, Any]:
    """The areas; what is being done is told on standard error."""
    from tilewright.generators.report.function_area import function_area

    console = progress()
    with console.status(f"synthesis for {device}"):
        return function_area(units, device)
