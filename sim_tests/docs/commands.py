"""The reference of the command line, from the command line, and that of the Python API, from its docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from textwrap import indent
from typing import Any

import typer

import tilewright
from tilewright.generators.commands.app import app
from tilewright.generators.config.engine import EngineConfig
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
        own = [p for p in command.params if p.name != "help" and p.name not in EngineConfig.model_fields]
        lines = [_line(parameter) for parameter in own]
        options = f"\n{table(('argument or option', 'value', 'meaning'), lines)}" if lines else ""
        named = {p.name for p in command.params}
        if "bus_bits" in named:
            options += (
                "\nAnd an option for every [parameter of an engine](engine.md#parameters): `--bus-bits 64`, `--gelu`.\n"
            )
        elif "max_k" in named:
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


_METHODS = {
    "Accelerator": ("simulate", "matmul", "linear", "conv2d", "put", "program", "run", "profile", "close"),
    "GraphBuilder": ("input", "constant", "add", "graph"),
    "Transport": ("read_register", "write_register", "read_memory", "write_memory", "wait", "close"),
}
"""Classes that the page on Python describes with their methods."""


def _method(method: Any, name: str) -> str:
    signature = str(inspect.signature(method)).replace("'", "")
    return f"{name}{signature}\n{indent(inspect.cleandoc(method.__doc__ or ''), '    ')}"


def api() -> str:
    """Every public name of the package, with its docstring."""
    parts = []
    for name in tilewright.__all__:
        if name == "__version__":
            continue
        value = getattr(tilewright, name)
        kind = "class" if inspect.isclass(value) else "function"
        signature = str(inspect.signature(value)).replace("'", "") if kind == "function" else ""
        methods = "".join(f"\n{_method(getattr(value, each), each)}\n" for each in _METHODS.get(name, ()))
        text = f"{kind} {name}{signature}\n\n{inspect.cleandoc(value.__doc__)}\n{methods}"
        parts.append(f"## {name}\n\n```text\n{text}```\n")
    per_mac = f"{inspect.signature(Movement.per_mac)}".replace("'", "")
    parts.append(
        f"## Movement\n\nThe class of `Simulation.movement`; its module is `{Movement.__module__}`.\n\n```text\n"
        f"class Movement\n\n{inspect.cleandoc(Movement.__doc__ or '')}\n\n"
        f"per_mac{per_mac}\n    {inspect.cleandoc(Movement.per_mac.__doc__ or '')}\n```\n"
    )
    return "\n".join(parts)
