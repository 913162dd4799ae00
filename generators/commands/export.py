"""``tilewright export``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from tilewright.generators.commands.flags import Command, Group
from tilewright.generators.commands.generated import write_out
from tilewright.generators.commands.options import ConfigOption, PresetOption, starting_fields, with_config_options
from tilewright.generators.commands.screen import JsonOption
from tilewright.generators.config.engine import EngineConfig, engine_config
from tilewright.generators.config.errors import ConfigError, shown, unknown
from tilewright.generators.config.estimate import check_force
from tilewright.generators.config.presets import (
    EnginePreset,
    Preset,
    engine_preset,
    engine_preset_names,
    preset,
    preset_names,
)
from tilewright.generators.config.resolve import over
from tilewright.generators.config.systolic import SystolicConfig, systolic_config

_PRODUCTS = ("engine", "core")

export = typer.Typer(
    name="export", cls=Group, help="A core or engine in the form that another tool takes.", no_args_is_help=True
)


def _command(name: str, words: str) -> None:
    """Adds the command for the tool ``name``."""

    @partial(with_config_options, model=EngineConfig)
    def run(
        out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for what is exported.")],
        kind: Annotated[
            str | None,
            typer.Option("--product", metavar="|".join(_PRODUCTS), help="What is exported; by default an engine."),
        ] = None,
        config: ConfigOption = None,
        preset: PresetOption = None,
        force: Annotated[
            bool, typer.Option("--force", help="Generate even what takes long.", show_default=False)
        ] = False,
        as_json: JsonOption = False,
        **fields: Any,
    ) -> None:
        settings = _settings(config, preset, kind, fields)
        check_force(settings, force=force)
        write_out(settings, out, lambda: _exporter(name)(settings), as_json=as_json)

    export.command(name, cls=Command, help=words)(run)


def _exporter(name: str) -> Callable[[SystolicConfig], dict[str, str]]:
    from tilewright.fpga.export.exports import exporter

    return exporter(name)


def _settings(
    config: Path | None, preset: str | None, product: str | None, fields: dict[str, Any]
) -> SystolicConfig | EngineConfig:
    """The configuration of an engine, or of a core where that is asked for, by name or by a preset or file."""
    start = starting_fields(config, preset, _any_preset)
    told = start.get("product", _PRODUCTS[0] if product is None else product)
    if product is not None and product != told:
        raise ConfigError(
            f"--product must be {told}, as it is told, got {shown(product)}; nearest legal value is {told}"
        )
    if told not in _PRODUCTS:
        raise ConfigError(
            f"product must be engine or core for an export, got {shown(told)}; nearest legal value is core"
        )
    values = over(start | {"product": told}, fields)
    return engine_config(values) if told == "engine" else systolic_config(values)


def _any_preset(name: str) -> Preset | EnginePreset:
    if name in engine_preset_names():
        return engine_preset(name)
    if name not in preset_names():
        raise ConfigError(unknown("preset", name, [*preset_names(), *engine_preset_names()]))
    return preset(name)


_command(
    "vivado",
    """Write Verilog with a script that packages it as an IP for Vivado, and a driver for PYNQ.

    Of the default engine, or core with --product core, where no preset, file or field says otherwise:

        tilewright export vivado --preset engine-16x16-int8 -o vivado
    """,
)
_command(
    "fusesoc",
    """Write Verilog and benches as a FuseSoC core (CAPI2), with targets that lint, simulate and build it.

    Of the default engine, or core with --product core, where no preset, file or field says otherwise:

        tilewright export fusesoc --preset ws-4x4-int8 -o fusesoc
    """,
)
_command(
    "litex",
    """Write Verilog with a LiteX module around it: streams of a core, or buses of an engine.

    Of the default engine, or core with --product core, where no preset, file or field says otherwise:

        tilewright export litex --preset ws-4x4-int8 -o litex
    """,
)
