"""The ``tilewright`` command."""

import typer

app = typer.Typer(name="tilewright", no_args_is_help=True)


@app.callback()
def tilewright() -> None:
    """Systolic matrix engines, from a short configuration to verified Verilog."""


def main() -> None:
    """Run the command line."""
    app()
