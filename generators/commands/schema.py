"""``tilewright schema``."""

from __future__ import annotations

import typer

from tilewright.generators.commands.screen import JsonOption


def schema(as_json: JsonOption = False) -> None:
    """Print the JSON Schema of configuration files; editors complete and check fields with it."""
    from tilewright.generators.config.schema import schema_text

    del as_json  # JSON is all there is to print
    typer.echo(schema_text(), nl=False)
