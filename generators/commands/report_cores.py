"""``tilewright report cores``."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from tilewright.generators.commands.options import starting_fields, with_config_options
from tilewright.generators.commands.report_inputs import (
    ColumnsOfB,
    ConfigOption,
    Depth,
    PresetOption,
    RowsOfA,
    product,
)
from tilewright.generators.commands.screen import JsonOption
from tilewright.generators.commands.tables import Column, percent, show
from tilewright.generators.config.engine import EngineConfig, engine_config
from tilewright.generators.config.presets import engine_preset
from tilewright.generators.config.resolve import over

if TYPE_CHECKING:
    from tilewright.generators.report.waves import Way

CORES = 4
"""Where nobody says how many."""


@partial(with_config_options, model=EngineConfig)
def cores(
    m: RowsOfA = None,
    n: ColumnsOfB = None,
    k: Depth = None,
    config: ConfigOption = None,
    preset: PresetOption = None,
    as_json: JsonOption = False,
    **fields: Any,
) -> None:
    """Show how C (M x N) = A (M x K) B (K x N) is dealt to the cores of an engine, and what a part-filled wave costs.

    The tiles that one core would make, dealt to all cores one after the other, leave cores without work in the last
    wave; the planner cuts C so that all have about as much. Cycles are predicted by the model of events.

        tilewright report cores 80 16 64 --cores 4
    """
    from tilewright.generators.report.waves import ways

    values = over(starting_fields(config, preset, engine_preset), fields)
    settings = engine_config({"cores": CORES, **values} if values.get("cores", 1) == 1 else values)
    layer = product(m, n, k)
    found = ways(settings, layer)
    alone = found[0].cycles
    if as_json:
        document = {
            "report": "cores",
            "config": settings.model_dump(mode="json"),
            "layer": asdict(layer),
            "ways": [_numbers(way, alone) for way in found],
        }
        typer.echo(json.dumps(document, indent=2))
        return
    columns = [Column("")]
    names = ("tiles", "largest", "waves", "in the\nlast", "cores with\na tile", "with\nwork", "cycles", "speed-\nup")
    columns += [Column(name, right=True, spare=name == "largest") for name in names]
    rows = []
    for way in found:
        waves = way.waves
        sizes = (f"{waves.tiles:,}", f"{way.rows} x {way.cols}", f"{waves.count:,}", f"{waves.last}")
        rows.append(
            (
                way.name,
                *sizes,
                percent(waves.utilisation),
                percent(way.busy),
                f"{way.cycles:,}",
                f"{alone / way.cycles:.2f}",
            )
        )
    array = f"{settings.rows}x{settings.cols} {settings.dataflow}"
    show(columns, rows, f"{settings.cores} cores, {array}, {layer.m} x {layer.n} x {layer.k}")


def _numbers(way: Way, alone: int) -> dict[str, Any]:
    """Of a way, for programs; ``alone``: cycles of one core."""
    return asdict(way) | {
        "waves": way.waves.count,
        "tiles": way.waves.tiles,
        "last_wave": way.waves.last,
        "utilisation": round(way.waves.utilisation, 6),
        "speedup": round(alone / way.cycles, 6),
    }
