"""``tilewright systolic``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tilewright.generators.commands.generated import write_out
from tilewright.generators.commands.options import ConfigOption, PresetOption, starting_fields, with_config_options
from tilewright.generators.commands.screen import JsonOption
from tilewright.generators.config.estimate import check_force
from tilewright.generators.config.resolve import over
from tilewright.generators.config.systolic import systolic_config


@with_config_options
def systolic(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the generated files.")],
    config: ConfigOption = None,
    preset: PresetOption = None,
    force: Annotated[bool, typer.Option("--force", help="Generate even what takes long.", show_default=False)] = False,
    as_json: JsonOption = False,
    **fields: Any,
) -> None:
    """Generate a systolic array or GEMM core: Verilog, manifest and test bench.

    A 16x16 weight-stationary int8 core, all other choices left alone:

        tilewright systolic -o my_core
    """
    settings = systolic_config(over(starting_fields(config, preset), fields))
    check_force(settings, force=force)

    def emit() -> dict[str, str]:
        from tilewright.generators.emit import generate

        return generate(settings)

    write_out(settings, out, emit, as_json=as_json)
