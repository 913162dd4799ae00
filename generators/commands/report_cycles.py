"""``tilewright report cycles``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

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
from tilewright.generators.commands.tables import Column, percent, show
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.report.cycles import CycleRow, LayerCycles, layer_cycles
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
    if len(found) == 1:
        _print_layer(settings, found[0])
    else:
        _print_layers(settings, found)
    typer.echo("array bound: cycles of the array alone, its folds perfectly overlapped")
    typer.echo("SCALE-Sim: compute cycles that SCALE-Sim 3.0.0 prints, without stalls; its folds follow in series")


def _print_layer(settings: SystolicConfig, found: LayerCycles) -> None:
    layer, best = found.layer, found.best
    columns = [Column("dataflow"), Column("this\ncore"), Column("folds", right=True), Column("stream", right=True)]
    rows = []
    for row in found.rows:
        name = f"{row.dataflow} *" if row is best else row.dataflow
        able = "yes" if row.core == settings.dataflow else "no"
        rows.append((name, able, f"{row.folds:,}", f"{row.stream:,}", *_numbers(row)))
    name = "" if layer.name == "product" else f"{layer.name}, "
    times = f", {layer.count} times" if layer.count > 1 else ""
    show([*columns, *_NUMBERS], rows, f"{_title(settings)}: {name}{layer.m} x {layer.n} x {layer.k}{times}")
    if best.fits:
        only = "" if settings.dataflow == "any" else ", the one dataflow of this core"
        typer.echo(f"recommended: {found.recommended}, {found.cycles:,} cycles{only}")
    else:
        typer.echo(f"none is recommended for this core, {best.dataflow} would take {found.cycles:,} cycles")
        typer.echo(f"but {DOES_NOT_FIT}")
    other = min(found.rows, key=lambda row: row.cycles)
    if other.cycles < best.cycles:
        fits = "" if other.fits else ", with larger scratchpads"
        typer.echo(f"this core cannot do {other.dataflow}; a core of that dataflow would take {other.cycles:,}{fits}")


def _print_layers(settings: SystolicConfig, found: list[LayerCycles]) -> None:
    columns = (Column("layer"), Column("M x N x K"), Column("dataflow"), *_NUMBERS)
    rows = []
    for each in found:
        layer = each.layer
        times = f" ({layer.count} times)" if layer.count > 1 else ""
        rows.append((layer.name, f"{layer.m} x {layer.n} x {layer.k}{times}", each.recommended, *_numbers(each.best)))
    show(columns, rows, _title(settings))
    cycles, macs = sum(each.cycles for each in found), sum(each.layer.macs for each in found)
    possible = cycles * settings.rows * settings.cols * settings.vector
    typer.echo(f"total: {cycles:,} cycles, utilisation {percent(macs / possible)}")
    missing = sum(not each.best.fits for each in found)
    if missing:
        typer.echo(f"of {len(found)} layers {missing} must be cut to be computed: {DOES_NOT_FIT}")


def _numbers(row: CycleRow) -> tuple[str, ...]:
    fits = "yes" if row.fits else "no"
    return f"{row.cycles:,}", percent(row.utilisation), f"{row.bound:,}", f"{row.scale_sim:,}", fits


def _title(settings: SystolicConfig) -> str:
    vector = f", vector {settings.vector}" if settings.vector > 1 else ""
    return f"{settings.rows}x{settings.cols} {settings.dataflow} core, {settings.a} x {settings.b}{vector}"


_NUMBERS = (
    *(Column(heading, right=True) for heading in ("cycles", "utili-\nsation", "array\nbound", "SCALE-\nSim")),
    Column("fits"),
)
