"""The ways in which a configuration is named in Python: as a model, a preset, a mapping, or field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.presets import preset
from tilewright.generators.config.systolic import SystolicConfig, systolic_config

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
    return systolic_config({**start, **fields})
