"""``tilewright build``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tilewright.generators.commands.options import ConfigOption, PresetOption, starting_fields, with_config_options
from tilewright.generators.commands.output_folder import OutputFolder
from tilewright.generators.commands.screen import JsonOption, progress, screen
from tilewright.generators.commands.tables import Column, percent, show
from tilewright.generators.commands.verdict import CheckFailed
from tilewright.generators.config.engine import engine_config
from tilewright.generators.config.errors import ConfigError, must_be
from tilewright.generators.config.presets import engine_preset
from tilewright.generators.config.presets import preset as core_preset
from tilewright.generators.config.resolve import over
from tilewright.generators.config.rules import Whole
from tilewright.generators.config.systolic import SystolicConfig, systolic_config

if TYPE_CHECKING:
    from tilewright.fpga.boards.board import Board
    from tilewright.fpga.flow.board_build import Build

_SEEDS = Whole(1, (1 << 31) - 1)


@with_config_options
def build(
    board: Annotated[str, typer.Option("--board", metavar="NAME", help="The board.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for what is built.")],
    baud: Annotated[int | None, typer.Option("--baud", metavar="BITS/S", help="Rate of the UART.")] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the placement.")] = 1,
    config: ConfigOption = None,
    preset: PresetOption = None,
    as_json: JsonOption = False,
    **fields: Any,
) -> None:
    """Build the file that a board takes: a core behind the board's UART, placed, routed and timed.

    It fails where the design does not fit, or does not reach the clock. What has been built once is remembered.
    --preset max is the core that fills the board; a preset of an engine, or a file with product = "engine", is an
    engine, with a memory of block RAM.

        tilewright build --board ulx3s -o build/ulx3s
    """
    from tilewright.fpga.boards.baud import divisor_of
    from tilewright.fpga.boards.known import board as find_board
    from tilewright.fpga.tops.board_design import board_design

    chosen = find_board(board)
    settings = _settings(over(_start(chosen, config, preset), fields))
    family = chosen.part.family
    if settings.target not in ("generic", family):
        rule = f"generic or the family of {chosen.name}, {family}"
        raise ConfigError(must_be("target", rule, settings.target, "generic"))
    rate = chosen.baud if baud is None else baud
    divisor = divisor_of(chosen.clock_hz, rate)
    if _SEEDS.take(seed) is None:
        raise ConfigError(f"--seed must be {_SEEDS.text}, got {seed}; nearest legal value is {_SEEDS.nearest(seed)}")
    with OutputFolder("-o", out) as folder:
        folder.prepare()
        built = _build(chosen, lambda: board_design(settings, divisor), seed)
        files = {path.name: path.read_bytes() for path in sorted(built.folder.iterdir())}
        document = _document(chosen, built, rate, seed)
        folder.publish({**files, "manifest.json": json.dumps(_with_files(document, files), indent=2) + "\n"})
    if as_json:
        typer.echo(json.dumps({"output": str(out), "config": settings.model_dump(mode="json"), **document}, indent=2))
    else:
        _print(chosen, built, out)


def _start(board: Board, config: Path | None, preset: str | None) -> dict[str, Any]:
    """The fields that options override."""
    from tilewright.fpga.boards.preset import LARGEST, board_fields, largest_fields

    if config is None and preset is None:
        return board_fields(board)
    if config is None and preset == LARGEST:
        return largest_fields(board)
    of_engine = preset is not None and preset.startswith("engine-")
    return starting_fields(config, preset, engine_preset if of_engine else core_preset)


def _settings(values: Mapping[str, Any]) -> SystolicConfig:
    """A core, or an engine where its fields say so."""
    if values.get("product") == "engine":
        return engine_config(values)
    settings = systolic_config(values)
    if settings.product == "array":
        raise ConfigError("product must be core or engine for a board, got array; nearest legal value is core")
    return settings


def _build(board: Board, design: Callable[[], Any], seed: int) -> Build:
    """Builds with a clock and the step that is at work on a terminal's standard error."""
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    from tilewright.fpga.flow.board_build import build as build_board
    from tilewright.fpga.flow.failed import BuildFailed

    console = progress()
    columns = (TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{board.title}: Verilog")

        def tell(step: str) -> None:
            bar.update(task, description=f"{board.title}: {step}")
            if not console.is_terminal:
                console.print(f"{board.title}: {step}", highlight=False)

        try:
            return build_board(board, design(), seed=seed, tell=tell)
        except BuildFailed as error:
            raise CheckFailed(str(error)) from None


def _document(board: Board, built: Build, baud: int, seed: int) -> dict[str, Any]:
    return {
        "tool": "tilewright",
        "board": board.name,
        "baud": baud,
        "seed": seed,
        "top": built.top,
        "final": built.final.name,
        "report": asdict(built.report),
        "steps": [asdict(step) for step in built.steps],
        "remembered": built.remembered,
    }


def _with_files(document: dict[str, Any], files: dict[str, bytes]) -> dict[str, Any]:
    listed = {name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()}
    return {**document, "files": listed}


def _print(board: Board, built: Build, out: Path) -> None:
    report = built.report
    rows = [
        (kind, f"{used.used:,}", f"{used.available:,}", percent(used.used / used.available))
        for kind, used in report.resources.items()
    ]
    heads = (Column("resource"), *(Column(head, right=True) for head in ("used", "of", "")))
    show(heads, rows, f"{board.title}, {board.part.device}")
    took = [(step.step, f"{step.cpu_seconds:.1f} s", f"{step.wall_seconds:.1f} s") for step in built.steps]
    titled = "steps, when this was built before" if built.remembered else "steps"
    show((Column("step"), Column("CPU", right=True), Column("wall", right=True)), took, titled)
    say = screen()
    say.print(f"clock: {report.reached_mhz:g} MHz reached, {report.clock_mhz:g} MHz asked for", highlight=False)
    say.print(f"slowest path: {report.slowest}", highlight=False)
    say.print(f"{out / built.final.name}: load it with {board.load} {out / built.final.name}", highlight=False)
