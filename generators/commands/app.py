"""The command line: its commands, and how errors end them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from tilewright.generators.commands import demo, doctor, presets, report, schema, systolic, verify
from tilewright.generators.commands.flags import Command, Group
from tilewright.generators.config.errors import ConfigError, unknown

app = typer.Typer(
    name="tilewright",
    cls=Group,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 100},
)
app.command(cls=Command)(systolic.systolic)
app.command(cls=Command)(verify.verify)
app.command(cls=Command)(demo.demo)
app.command(cls=Command)(presets.presets)
app.command(cls=Command)(schema.schema)
app.command(cls=Command)(doctor.doctor)
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


def run(words: Sequence[str]) -> int:
    """Runs the command line ``words`` (without the program's name); returns the exit code, see `generators.cli`."""
    try:
        code = app(list(words), prog_name="tilewright", standalone_mode=False)
    except typer.TyperException as error:  # the words do not fit the command
        return _refuse(_words(error))
    except ConfigError as error:
        return _refuse(str(error))
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:  # the reader of a pipe has left; nothing may be flushed to it at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return code if isinstance(code, int) else 0


def _words(error: typer.TyperException) -> str:
    """What is wrong with the words of the command line."""
    option, command = getattr(error, "option_name", None), getattr(error, "cmd", None)
    if hasattr(error, "possibilities") and option is not None and command is not None:  # there is no such option
        return unknown("option", option, [name for parameter in command.params for name in parameter.opts])
    return error.format_message()


def _refuse(sentences: str) -> int:
    for sentence in sentences.splitlines():
        typer.secho(f"error: {sentence}", err=True, fg="red" if sys.stderr.isatty() else None)
    return 2
