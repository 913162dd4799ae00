"""``tilewright report movement``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import typer

from tilewright.generators.commands.options import with_config_options
from tilewright.generators.commands.report_inputs import (
    DOES_NOT_FIT,
    ColumnsOfB,
    ConfigOption,
    Depth,
    PresetOption,
    RowsOfA,
    core_config,
    product,
)
from tilewright.generators.commands.screen import JsonOption
from tilewright.generators.commands.tables import Column, show
from tilewright.generators.report.cycles import layer_cycles
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
    recommendation moves the fewest bits in and out of the scratchpads, among the dataflows that the core can do.

        tilewright report movement 256 64 256 --rows 16 --cols 16
    """
    settings = core_config(config, preset, fields)
    layer = product(m, n, k)
    found = movements(settings, layer)
    able = tuple(each for each in found if settings.dataflow in ("any", each.dataflow))
    best, fewest = recommended(able), recommended(found)
    fits = {row.dataflow: row.fits for row in layer_cycles(settings, layer).rows}
    if as_json:
        document = {
            "report": "movement",
            "config": settings.model_dump(mode="json"),
            "layer": asdict(layer),
            "dataflows": [
                asdict(each) | {"per_mac": _per_mac(each), "this_core": each in able, "fits": fits[each.dataflow]}
                for each in found
            ],
            "recommended": best.dataflow,
        }
        typer.echo(json.dumps(document, indent=2))
        return
    title = f"{settings.rows}x{settings.cols} {settings.dataflow} core, {layer.m} x {layer.n} x {layer.k}"
    columns = [Column("dataflow"), Column("this core")]
    columns += [Column(heading, right=True) for heading in _COLUMNS]
    rows = []
    for each in found:
        name = f"{each.dataflow} *" if each is best else each.dataflow
        numbers = (f"{value:.4f}" for value in _per_mac(each).values())
        rows.append((name, "yes" if each in able else "no", *numbers))
    show(columns, rows, f"{title}, per multiply-accumulate")
    reason = "the fewest bits in and out of the scratchpads"
    if not fits[best.dataflow]:
        typer.echo(f"none is recommended for this core, of what it can do {best.dataflow} moves {reason}")
        typer.echo(f"but {DOES_NOT_FIT}")
    else:
        typer.echo(f"recommended: {best.dataflow}, {reason}{'' if len(able) > 1 else ' that this core can do'}")
    if fewest is not best:
        typer.echo(f"a core of dataflow {fewest.dataflow} would move fewer; this one cannot do it")


_COLUMNS = {
    "loads\nof A": "a_values",
    "loads\nof B": "b_values",
    "sums in and\nout of C": "c_values",
    "hops of\nsums": "sum_hops",
    "hops of\noperands": "operand_hops",
    "scratchpad\nbits": "scratchpad_bits",
}


def _per_mac(each: Movement) -> dict[str, float]:
    return {field: round(each.per_mac(getattr(each, field)), 6) for field in _COLUMNS.values()}
