"""``tilewright report movement``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import typer

from tilewright.generators.commands.options import with_config_options
from tilewright.generators.commands.report_inputs import (
    ColumnsOfB,
    ConfigOption,
    Depth,
    PresetOption,
    RowsOfA,
    core_config,
    product,
)
from tilewright.generators.commands.screen import JsonOption, screen
from tilewright.generators.report.movement import Movement, movements, recommended


@with_config_options
def movement(
    m: RowsOfA = None,
    n: ColumnsOfB = None,
    k: Depth = None,
    config: ConfigOption = None,
    preset: PresetOption = None,
    as_json: JsonOption = False,
    **fields: Any,
) -> None:
    """Show how often values move for C (M x N) = A (M x K) B (K x N) in each dataflow, and which moves the least.

    Loads of A and B, partial sums in and out of C, hops from element to element, all per multiply-accumulate. The
    recommendation moves the fewest bits in and out of the scratchpads.

        tilewright report movement 256 64 512 --rows 16 --cols 16
    """
    settings = core_config(config, preset, fields)
    layer = product(m, n, k)
    found = movements(settings, layer)
    best = recommended(found)
    if as_json:
        document = {
            "report": "movement",
            "config": settings.model_dump(mode="json"),
            "layer": asdict(layer),
            "dataflows": [asdict(each) | {"per_mac": _per_mac(each)} for each in found],
            "recommended": best.dataflow,
        }
        typer.echo(json.dumps(document, indent=2))
        return
    from rich.table import Table

    title = f"{settings.rows}x{settings.cols}, {layer.m} x {layer.n} x {layer.k}, per multiply-accumulate"
    table = Table("dataflow", *_COLUMNS, title=title, title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    for each in found:
        mark = " *" if each is best else ""
        table.add_row(f"{each.dataflow}{mark}", *(f"{value:.4f}" for value in _per_mac(each).values()))
    screen().print(table)
    screen().print(f"recommended: {best.dataflow}, the fewest bits in and out of the scratchpads", highlight=False)


_COLUMNS = {
    "loads of A": "a_values",
    "loads of B": "b_values",
    "sums in and out of C": "c_values",
    "hops of sums": "sum_hops",
    "hops of operands": "operand_hops",
    "scratchpad bits": "scratchpad_bits",
}


def _per_mac(each: Movement) -> dict[str, float]:
    return {field: round(each.per_mac(getattr(each, field)), 6) for field in _COLUMNS.values()}
