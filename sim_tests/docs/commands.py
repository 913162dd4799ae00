"""The reference of the command line, from the command line, and that of the Python API, from its docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer

import tilewright
from tilewright.generators.commands.app import app
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.report.movement import Movement
from tilewright.sim_tests.docs.pages import table


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", {})
    if not inner:
        yield words, command
    for name, each in inner.items():
        yield from _commands(each, (*words, name))


def commands() -> str:
    """Every command with its arguments and options; those of the configuration are in the reference of parameters."""
    parts = []
    for words, command in _commands(typer.main.get_command(app), ("tilewright",)):
        own = [p for p in command.params if p.name != "help" and p.name not in SystolicConfig.model_fields]
        lines = [_line(parameter) for parameter in own]
        options = f"\n{table(('argument or option', 'value', 'meaning'), lines)}" if lines else ""
        if any(p.name in SystolicConfig.model_fields for p in command.params):
            options += "\nAnd an option for every [parameter](parameters.md): `--max-k 64` for `max_k`.\n"
        parts.append(f"## {' '.join(words)}\n\n{inspect.cleandoc(command.help or '')}\n{options}")
    return "\n".join(parts)


def _line(parameter: Any) -> tuple[str, str, str]:
    meaning = getattr(parameter, "help", "") or ""
    metavar = (parameter.metavar or parameter.name or "").strip("[]")
    if parameter.param_type_name == "argument":
        return f"`{metavar}`", "", meaning
    value = "" if parameter.is_flag else f"`{metavar}`"
    return ", ".join(f"`{option}`" for option in parameter.opts), value, meaning


def api() -> str:
    """Every public name of the package, with its docstring."""
    parts = []
    for name in tilewright.__all__:
        if name == "__version__":
            continue
        value = getattr(tilewright, name)
        kind = "class" if inspect.isclass(value) else "function"
        signature = str(inspect.signature(value)).replace("'", "") if kind == "function" else ""
        parts.append(f"## {name}\n\n```text\n{kind} {name}{signature}\n\n{inspect.cleandoc(value.__doc__)}\n```\n")
    per_mac = f"{inspect.signature(Movement.per_mac)}".replace("'", "")
    parts.append(
        f"## Movement\n\nThe class of `Simulation.movement`; its module is `{Movement.__module__}`.\n\n```text\n"
        f"class Movement\n\n{inspect.cleandoc(Movement.__doc__ or '')}\n\n"
        f"per_mac{per_mac}\n    {inspect.cleandoc(Movement.per_mac.__doc__ or '')}\n```\n"
    )
    return "\n".join(parts)
