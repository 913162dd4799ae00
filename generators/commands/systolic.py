"""``tilewright systolic``."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from tilewright.generators.commands.options import ConfigOption, PresetOption, starting_fields, with_config_options
from tilewright.generators.commands.output_folder import OutputFolder
from tilewright.generators.commands.screen import JsonOption, screen
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.estimate import FORCE_ABOVE, estimate, needs_force
from tilewright.generators.config.resolve import over
from tilewright.generators.config.systolic import SystolicConfig, systolic_config


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
    if needs_force(settings) and not force:
        raise ConfigError(
            f"--force must be given for more than {FORCE_ABOVE} multipliers, got {settings.rows} x {settings.cols} "
            f"x {settings.vector}, about {estimate(settings)}; nearest legal value is --force"
        )
    with OutputFolder("-o", out) as folder:
        folder.prepare()
        from tilewright.generators.emit import generate

        start = time.monotonic()
        files = generate(settings)
        folder.publish(files)
    _tell(settings, out, files, time.monotonic() - start, as_json=as_json)


def _tell(settings: SystolicConfig, out: Path, files: dict[str, str], seconds: float, *, as_json: bool) -> None:
    sizes = {name: len(text.encode()) for name, text in files.items()}
    if as_json:
        summary = {"output": str(out), "seconds": round(seconds, 3), "files": sizes}
        typer.echo(json.dumps({**summary, "config": settings.model_dump(mode="json")}, indent=2))
        return
    vectors = [size for name, size in sizes.items() if name.startswith("vectors/")]
    told = {name: size for name, size in sizes.items() if not name.startswith("vectors/")}
    for name, size in told.items():
        screen().print(f"  {out / name}  [dim]{size:,} bytes[/dim]", highlight=False)
    screen().print(f"  {out / 'vectors'}  [dim]{len(vectors)} vectors, {sum(vectors):,} bytes[/dim]", highlight=False)
    screen().print(f"generated in {seconds:.1f} s", highlight=False)
