"""``tilewright schema``."""

from __future__ import annotations

from typing import Annotated

import typer

from tilewright.generators.commands.screen import JsonOption


def schema(
    engine: Annotated[
        bool, typer.Option("--engine", help="That of engines, not of arrays and cores.", show_default=False)
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the JSON Schema of configuration files; editors complete and check fields with it."""
    from tilewright.generators.config.engine import EngineConfig
    from tilewright.generators.config.schema import schema_text
    from tilewright.generators.config.systolic import SystolicConfig

    del as_json  # JSON is all there is to print
    typer.echo(schema_text(EngineConfig if engine else SystolicConfig), nl=False)
