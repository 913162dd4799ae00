"""The fields of the configuration as command-line options, made from the model so that neither can lag the other."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tilewright.generators.config.command import option_name
from tilewright.generators.config.engine import FUNCTIONS
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.presets import EnginePreset, Preset
from tilewright.generators.config.presets import preset as find_preset
from tilewright.generators.config.rules import Choice, Flag, Identifier, NumberFormat, Rule, Whole
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.config.toml_file import read_toml

_PANELS = {
    "Array": ("product", "module_name", "rows", "cols", "dataflow", "in_flight", "cores", "target"),
    "Arithmetic": ("a", "b", "acc", "overflow", "vector", "pipeline", "add_latency"),
    "Scratchpads": ("max_m", "max_n", "max_k", "a_words", "b_words", "c_words", "memory_limit_bits"),
    "Memory port": ("data_ports", "bus_bits", "address_bits", "max_burst", "outstanding", "transposer"),
    "Results": ("result", "channels", "row_sums", "adds", "pool_words", "table", *FUNCTIONS),
}


ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="TOML file of fields; options below override it.")
]
PresetOption = Annotated[
    str | None, typer.Option("--preset", metavar="NAME", help="Start from a preset; options below override it.")
]


def starting_fields(
    config: Path | None, preset: str | None, find: Callable[[str], Preset | EnginePreset] = find_preset
) -> dict[str, Any]:
    """The fields that --config or --preset sets, not yet checked together; none without either. Raises ConfigError.

    ``find`` finds a preset by its name.
    """
    if config is not None and preset is not None:
        raise ConfigError("--config and --preset must not be given together; keep one and override fields by options")
    if config is not None:
        return read_toml(config)
    return find(preset).config.model_dump() if preset is not None else {}


def with_config_options(
    command: Callable[..., None], model: type[SystolicConfig] = SystolicConfig
) -> Callable[..., None]:
    """``command`` with an option for each field of ``model`` in place of its ``**fields``; none for a field that has
    one legal value.

    Options that are not given are not passed; values come as they should go into the model, not checked yet.
    """
    names = [name for name in model.model_fields if not _is_fixed(_rule(name, model))]

    def run(**arguments: Any) -> None:
        given = {name: arguments.pop(name) for name in names}
        command(**arguments, **config_values(given, model))

    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.kind is not p.VAR_KEYWORD]
    own = [p.replace(kind=p.KEYWORD_ONLY) for p in own]
    run.__signature__ = inspect.Signature([*own, *_parameters(names, model)])  # type: ignore[attr-defined]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def config_values(given: Mapping[str, Any], model: type[SystolicConfig] = SystolicConfig) -> dict[str, Any]:
    """Field values from the words of the command line; a word that is no number stays one, for the model to refuse."""
    return {name: _value(_rule(name, model), word) for name, word in given.items() if word is not None}


def _value(rule: Rule, word: Any) -> Any:
    if isinstance(rule, Whole) or (isinstance(rule, Choice) and isinstance(rule.values[0], int)):
        for number in (int, float):
            try:
                return number(word)
            except ValueError:
                continue
    return word


def _rule(name: str, model: type[SystolicConfig]) -> Rule:
    return next(entry for entry in model.model_fields[name].metadata if isinstance(entry, Rule))


def _is_fixed(rule: Rule) -> bool:
    return isinstance(rule, Choice) and len(rule.values) == 1


def _parameters(names: Collection[str], model: type[SystolicConfig]) -> list[inspect.Parameter]:
    return [_parameter(name, panel, model) for panel, members in _PANELS.items() for name in members if name in names]


def _parameter(name: str, panel: str, model: type[SystolicConfig]) -> inspect.Parameter:
    field, rule = model.model_fields[name], _rule(name, model)
    words = field.description if field.default in (None, False) else f"{field.description}; default {field.default}"
    kind: Any = str | None
    if isinstance(rule, Flag):
        option = typer.Option(f"{option_name(name)}/--no{option_name(name)[1:]}", help=words, rich_help_panel=panel)
        kind = bool | None
    else:
        option = typer.Option(option_name(name), help=words, metavar=_metavar(rule), rich_help_panel=panel)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option])


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
