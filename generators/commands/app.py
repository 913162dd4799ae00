"""The command line: its commands, and how errors end them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer

from tilewright.generators.commands import (
    build,
    demo,
    doctor,
    engine,
    export,
    presets,
    report,
    schema,
    selftest,
    systolic,
    verify,
)
from tilewright.generators.commands.flags import JSON, Command, Group
from tilewright.generators.commands.screen import complain
from tilewright.generators.commands.verdict import Verdict, verdict
from tilewright.generators.standard_streams import broken_stdout

app = typer.Typer(
    name="tilewright",
    cls=Group,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 100},
)
app.command(cls=Command)(systolic.systolic)
app.command(cls=Command)(engine.engine)
app.command(cls=Command)(verify.verify)
app.command(cls=Command)(build.build)
app.command(cls=Command)(selftest.selftest)
app.command(cls=Command)(demo.demo)
app.command(cls=Command)(presets.presets)
app.command(cls=Command)(schema.schema)
app.command(cls=Command)(doctor.doctor)
app.add_typer(export.export)
app.add_typer(report.report)


@app.callback(invoke_without_command=True)
def tilewright(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", show_default=False)] = False,
) -> None:
    """Systolic matrix engines, from a short configuration to verified Verilog."""
    if version:
        from tilewright import __version__

        typer.echo(__version__)
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(words: Sequence[str], interrupted: Callable[[], bool] = lambda: False) -> int:
    """Runs the command line ``words`` (without the program's name); returns the exit code, see `generators.cli`.

    ``interrupted`` says whether an error may be what a library has made of an interrupt.
    """
    asked: dict[str, Any] = {}
    try:
        command = typer.main.get_command(app)
        with command.make_context("tilewright", list(words)) as context:
            asked = context.meta
            command.invoke(context)
        sys.stdout.flush()
    except typer.Exit as end:
        return end.exit_code
    except KeyboardInterrupt:
        return 130
    except SystemExit:  # so ends Rich where nobody reads what is printed
        return 141
    except Exception as error:
        if interrupted():
            return 130
        if "TILEWRIGHT_TRACEBACK" in os.environ:
            raise
        # Words that do not fit a command end it before it knows its options.
        return _tell(verdict(error), as_json=asked.get(JSON, "--json" in words))
    return 0


def _tell(end: Verdict, *, as_json: bool) -> int:
    """Tells the errors on standard error, and as an object on standard output where JSON is asked for."""
    if as_json and not broken_stdout():
        with suppress(OSError):  # the error is told all the same
            typer.echo(json.dumps({"error": end.text, "exit_code": end.code}, indent=2))
    for message in end.messages:
        complain(message)
    return end.code
