"""The ways in which a configuration is named in Python: as a model, a preset, a mapping, or field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilewright.generators.config.arithmetic import is_float
from tilewright.generators.config.engine import FUNCTIONS
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.presets import preset
from tilewright.generators.config.systolic import SystolicConfig, systolic_config

_OF_NUMBERS = (
    "a",
    "b",
    "acc",
    "overflow",
    "add_latency",
    "result",
    "channels",
    "row_sums",
    "adds",
    "table",
    *FUNCTIONS,
)


def over(start: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """``fields`` over those of ``start``.

    An operand of another kind, a float over integers or the other way round, leaves nothing of the numbers in
    ``start``: what goes with it follows from it.
    """
    kinds = {is_float(values[name]) for values in (start, fields) for name in ("a", "b") if name in values}
    changes = len(kinds) > 1 and any(name in fields for name in ("a", "b"))
    kept = {name: value for name, value in start.items() if not (changes and name in _OF_NUMBERS)}
    return {**kept, **fields}


Config = SystolicConfig | Mapping[str, Any] | str


def resolve(config: Config | None, fields: Mapping[str, Any]) -> SystolicConfig:
    """``config`` (a model, the name of a preset, a mapping of fields; None: the defaults) with ``fields`` over it.

    Raises ConfigError, a sentence for each field that is wrong, or the nearest name of a preset that does not exist.
    """
    if isinstance(config, SystolicConfig) and not fields:
        return config
    if config is None:
        start: Mapping[str, Any] = {}
    elif isinstance(config, str):
        start = preset(config).config.model_dump()
    elif isinstance(config, SystolicConfig):
        start = config.model_dump()
    elif isinstance(config, Mapping):
        start = config
    else:
        raise ConfigError(
            f"config must be a SystolicConfig, the name of a preset or a mapping of fields, "
            f"got {type(config).__name__}; nearest legal value is SystolicConfig()"
        )
    return systolic_config(over(start, fields))
