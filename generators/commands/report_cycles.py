"""``tilewright report cycles``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

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
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.report.cycles import LayerCycles, layer_cycles
from tilewright.generators.report.workload import read_topology


@with_config_options
def cycles(
    m: RowsOfA = None,
    n: ColumnsOfB = None,
    k: Depth = None,
    topology: Annotated[
        Path | None, typer.Option("--topology", metavar="FILE", help="Layers in SCALE-Sim's CSV, instead of M N K.")
    ] = None,
    config: ConfigOption = None,
    preset: PresetOption = None,
    as_json: JsonOption = False,
    **fields: Any,
) -> None:
    """Show the cycles of a matrix product C (M x N) = A (M x K) B (K x N) in each dataflow, and which is best.

    The numbers are those of the RTL, operands in the scratchpads. Beside them: the bound of an array that overlaps its
    folds perfectly, and what SCALE-Sim counts. Without a dataflow (or with --dataflow auto) the core can do all three.

        tilewright report cycles 100 37 53 --rows 16 --cols 16
    """
    settings = core_config(config, preset, fields)
    if topology is not None and (m, n, k) != (None, None, None):
        raise ConfigError(f"--topology must not be given together with M N K, got {topology} and {m}; keep one of them")
    layers = [product(m, n, k)] if topology is None else read_topology(topology)
    found = [layer_cycles(settings, layer) for layer in layers]
    if as_json:
        typer.echo(json.dumps(_document(settings, found), indent=2))
    else:
        _print(settings, found)


def _document(settings: SystolicConfig, found: list[LayerCycles]) -> dict[str, Any]:
    layers = [
        {
            **asdict(each.layer),
            "recommended": each.recommended,
            "cycles": each.cycles,
            "dataflows": [asdict(row) for row in each.rows],
        }
        for each in found
    ]
    total = {"cycles": sum(each.cycles for each in found), "macs": sum(each.layer.macs for each in found)}
    return {"report": "cycles", "config": settings.model_dump(mode="json"), "layers": layers, "total": total}


def _print(settings: SystolicConfig, found: list[LayerCycles]) -> None:
    from rich.table import Table

    table = Table("layer", "M x N x K", "dataflow", "core", *_NUMBERS, title=_title(settings), title_justify="left")
    for column in table.columns[4:]:
        column.justify = "right"
    for each in found:
        shown = each.rows if len(found) == 1 else (each.best,)
        for row in shown:
            layer = each.layer
            times = f" ({layer.count} times)" if layer.count > 1 else ""
            mark = " *" if row.dataflow == each.recommended else ""
            table.add_row(
                layer.name,
                f"{layer.m} x {layer.n} x {layer.k}{times}",
                f"{row.dataflow}{mark}",
                row.core,
                f"{row.folds:,}",
                f"{row.stream:,}",
                f"{row.cycles:,}",
                f"{row.utilisation:.1%}",
                f"{row.bound:,}",
                f"{row.scale_sim:,}",
                "yes" if row.fits else "no",
            )
    screen().print(table)
    if len(found) > 1:
        _print_total(settings, found)
        return
    if not found[0].best.fits:
        screen().print("the scratchpads do not hold it; --max-m, --max-n and --max-k make them larger", highlight=False)
    best = min(found[0].rows, key=lambda row: row.cycles)
    screen().print(f"recommended: {found[0].recommended}, {found[0].cycles:,} cycles", highlight=False)
    if best.cycles < found[0].cycles:
        screen().print(f"a core of dataflow {best.core} would take {best.cycles:,}", highlight=False)


def _print_total(settings: SystolicConfig, found: list[LayerCycles]) -> None:
    cycles, macs = sum(each.cycles for each in found), sum(each.layer.macs for each in found)
    possible = cycles * settings.rows * settings.cols * settings.vector
    screen().print(f"total: {cycles:,} cycles, utilisation {macs / possible:.1%}", highlight=False)


def _title(settings: SystolicConfig) -> str:
    vector = f", vector {settings.vector}" if settings.vector > 1 else ""
    return f"{settings.rows}x{settings.cols} {settings.dataflow} core, {settings.a} x {settings.b}{vector}"


_NUMBERS = ("folds", "stream", "cycles", "utilisation", "bound", "SCALE-Sim", "fits")
