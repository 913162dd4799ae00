"""``tilewright report area``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from tilewright.generators.commands.options import ConfigOption, PresetOption, starting_fields, with_config_options
from tilewright.generators.commands.screen import JsonOption, progress
from tilewright.generators.commands.tables import Column, show
from tilewright.generators.config.errors import ConfigError, unknown
from tilewright.generators.config.estimate import FORCE_ABOVE, needs_force
from tilewright.generators.config.resolve import over
from tilewright.generators.config.systolic import SystolicConfig, systolic_config

DEVICES = ("ecp5",)


@with_config_options
def area(
    device: Annotated[str, typer.Option("--device", metavar="|".join(DEVICES), help="Device family.")] = "ecp5",
    config: ConfigOption = None,
    preset: PresetOption = None,
    force: Annotated[bool, typer.Option("--force", help="Map even what takes long.", show_default=False)] = False,
    as_json: JsonOption = False,
    **fields: Any,
) -> None:
    """Map a design to a device by synthesis and show what it and its parts use, in total and per PE.

    LUT4-eq is LUT4 + 2 CCU2C. Every part is mapped on its own, too; the rest of a whole is what it has beyond the sum
    of its parts, below zero where mapping them together saves. What has been mapped once is remembered.

        tilewright report area --device ecp5 --product array --rows 8 --cols 8 --dataflow ws
    """
    if device not in DEVICES:
        raise ConfigError(unknown("device", device, DEVICES))
    settings = systolic_config(over(starting_fields(config, preset), fields))
    if needs_force(settings) and not force:
        raise ConfigError(
            f"--force must be given for more than {FORCE_ABOVE} multipliers, got {settings.rows} x {settings.cols} "
            f"x {settings.vector}; nearest legal value is --force"
        )
    parts = _map(settings, device)
    if as_json:
        document = {
            "report": "area",
            "device": device,
            "config": settings.model_dump(mode="json"),
            "parts": [
                asdict(part) | {"lut4_eq": part.resources.lut4_eq, "lut4_eq_per_pe": part.lut4_eq_per_pe}
                for part in parts
            ],
        }
        typer.echo(json.dumps(document, indent=2))
        return
    _print(settings, device, parts)


def _map(settings: SystolicConfig, device: str) -> list[Any]:
    """The parts, with a clock, a hint of how long it takes, and what is done on a terminal's standard error."""
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    from tilewright.generators.report.area import area as map_area
    from tilewright.generators.report.area import seconds_hint

    hint = f"synthesis for {device}, about {seconds_hint(settings):.0f} s unless remembered"
    console = progress()
    if not console.is_terminal:
        console.print(hint, highlight=False)
    columns = (TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(hint)
        done: list[str] = []

        def tell(name: str) -> None:
            done.append(name)
            bar.update(task, description=f"{hint}; done: {', '.join(done)}")

        return map_area(settings, device, tell)


def _print(settings: SystolicConfig, device: str, parts: list[Any]) -> None:
    overflow = f" {settings.overflow or 'wrap'}" if settings.integers else ""
    title = (
        f"{settings.rows}x{settings.cols} {settings.dataflow} {settings.product}, "
        f"{settings.a} x {settings.b} -> {settings.acc}{overflow}, on {device}"
    )
    headings = ("times", *_CELLS, "LUT4\n-eq", "LUT4-eq\nper PE")
    rows, depth = [], dict[str, int]()
    for part in parts:
        numbers = [getattr(part.resources, field) for field in _CELLS.values()]
        total = part.resources.lut4_eq
        cells = (f"{number:,}" for number in (part.count, *numbers, total))
        depth[part.name] = depth.get(part.within, -1) + 1
        rows.append((f"{'  ' * depth[part.name]}{part.name}", *cells, f"{part.lut4_eq_per_pe:.1f}"))
    columns = [Column(heading, right=True, spare=heading == "CCU2C") for heading in headings]
    show((Column("part"), *columns), rows, title)
    typer.echo("a part stands below the one that it lies in; one that is there several times is shown once, its share")
    typer.echo("per PE counts all; a rest is what the whole has beyond its parts, below zero where it saves")


_CELLS = {"LUT4": "lut4", "CCU2C": "ccu2c", "FF": "ff", "DSP": "dsp", "EBR": "ebr", "DPR\n16X4": "dpr16x4"}
