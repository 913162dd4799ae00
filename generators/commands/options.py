"""The fields of the configuration as command-line options, made from the model so that neither can lag the other."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tilewright.generators.config.command import option_name
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.presets import preset as find_preset
from tilewright.generators.config.rules import Choice, Identifier, NumberFormat, Rule, Whole
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.config.toml_file import read_toml

_PANELS = {
    "Array": ("product", "module_name", "rows", "cols", "dataflow"),
    "Arithmetic": ("a", "b", "acc", "overflow", "vector", "pipeline", "add_latency"),
    "Scratchpads": ("max_m", "max_n", "max_k", "a_words", "b_words", "c_words", "memory_limit_bits"),
}


ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="TOML file of fields; options below override it.")
]
PresetOption = Annotated[
    str | None, typer.Option("--preset", metavar="NAME", help="Start from a preset; options below override it.")
]


def starting_fields(config: Path | None, preset: str | None) -> dict[str, Any]:
    """The fields that --config or --preset sets, not yet checked together; none without either. Raises ConfigError."""
    if config is not None and preset is not None:
        raise ConfigError("--config and --preset must not be given together; keep one and override fields by options")
    if config is not None:
        return read_toml(config)
    return find_preset(preset).config.model_dump() if preset is not None else {}


def with_config_options(command: Callable[..., None]) -> Callable[..., None]:
    """``command`` with an option for each field of the configuration in place of its ``**fields``.

    Options that are not given are not passed; values come as they should go into the model, not checked yet.
    """

    def run(**arguments: Any) -> None:
        given = {name: arguments.pop(name) for name in SystolicConfig.model_fields}
        command(**arguments, **config_values(given))

    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.kind is not p.VAR_KEYWORD]
    own = [p.replace(kind=p.KEYWORD_ONLY) for p in own]
    run.__signature__ = inspect.Signature([*own, *_parameters()])  # type: ignore[attr-defined]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def config_values(given: Mapping[str, str | None]) -> dict[str, Any]:
    """Field values from the words of the command line; a word that is no number stays one, for the model to refuse."""
    return {name: _value(_rule(name), word) for name, word in given.items() if word is not None}


def _value(rule: Rule, word: str) -> Any:
    if isinstance(rule, Whole) or (isinstance(rule, Choice) and isinstance(rule.values[0], int)):
        for number in (int, float):
            try:
                return number(word)
            except ValueError:
                continue
    return word


def _rule(name: str) -> Rule:
    return next(entry for entry in SystolicConfig.model_fields[name].metadata if isinstance(entry, Rule))


def _parameters() -> list[inspect.Parameter]:
    return [_parameter(name, panel) for panel, names in _PANELS.items() for name in names]


def _parameter(name: str, panel: str) -> inspect.Parameter:
    field = SystolicConfig.model_fields[name]
    option = typer.Option(
        option_name(name),
        help=field.description if field.default is None else f"{field.description}; default {field.default}",
        metavar=_metavar(_rule(name)),
        rich_help_panel=panel,
    )
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, option]
    )


def _metavar(rule: Rule) -> str:
    match rule:
        case Whole():
            return f"{rule.low}..{rule.high}"
        case Choice():
            return "|".join(str(value) for value in rule.values)
        case NumberFormat():
            return "FORMAT"
        case Identifier():
            return "NAME"
        case _:
            raise TypeError(f"no placeholder for {rule!r}")
