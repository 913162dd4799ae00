"""``tilewright engine``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from tilewright.generators.commands.generated import write_out
from tilewright.generators.commands.options import ConfigOption, PresetOption, starting_fields, with_config_options
from tilewright.generators.commands.screen import JsonOption
from tilewright.generators.config.engine import EngineConfig, engine_config
from tilewright.generators.config.estimate import check_force
from tilewright.generators.config.presets import engine_preset
from tilewright.generators.config.resolve import over


@partial(with_config_options, model=EngineConfig)
def engine(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the generated files.")],
    config: ConfigOption = None,
    preset: PresetOption = None,
    force: Annotated[bool, typer.Option("--force", help="Generate even what takes long.", show_default=False)] = False,
    as_json: JsonOption = False,
    **fields: Any,
) -> None:
    """Generate a GEMM engine, a core between AXI4 ports: Verilog, register map, C header.

    A 16x16 weight-stationary int8 engine with a memory port of 128 bits, all other choices left alone:

        tilewright engine -o my_engine
    """
    settings = engine_config(over(starting_fields(config, preset, engine_preset), fields))
    check_force(settings, force=force)

    def emit() -> dict[str, str]:
        from tilewright.generators.emit.engine_files import generate_engine

        return generate_engine(settings)

    note = f"{settings.memory_bytes:,} bytes of on-chip buffers (--a-words, --b-words and --c-words set their depths)"
    write_out(settings, out, emit, as_json=as_json, note=note)
