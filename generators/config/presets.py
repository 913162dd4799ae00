"""The presets: ready configurations that ship with the package, every one of them tested by the gate."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Any

from tilewright.generators.config.engine import EngineConfig, engine_config
from tilewright.generators.config.errors import ConfigError, unknown
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.config.toml_file import parse_toml

_FOLDER = resources.files("tilewright.generators.presets")
_OF_ENGINES = "engine-"


@dataclass(frozen=True)
class Preset:
    """A configuration with a name and a line on what it is for: the first comment of its file after the schema."""

    name: str
    purpose: str
    config: SystolicConfig


@dataclass(frozen=True)
class EnginePreset:
    """The same of an engine."""

    name: str
    purpose: str
    config: EngineConfig


def preset_names() -> list[str]:
    """Names of all presets of arrays and cores, sorted."""
    return [name for name in _all_names() if not name.startswith(_OF_ENGINES)]


def engine_preset_names() -> list[str]:
    """Names of all presets of engines, sorted."""
    return [name for name in _all_names() if name.startswith(_OF_ENGINES)]


def _all_names() -> list[str]:
    return sorted(entry.name.removesuffix(".toml") for entry in _FOLDER.iterdir() if entry.name.endswith(".toml"))


def preset(name: str) -> Preset:
    """The preset called ``name``. Raises ConfigError that offers the nearest name where there is none."""
    purpose, fields = _read(name, preset_names())
    return Preset(name, purpose, systolic_config(fields))


def engine_preset(name: str) -> EnginePreset:
    """The same of an engine."""
    purpose, fields = _read(name, engine_preset_names())
    return EnginePreset(name, purpose, engine_config(fields))


def _read(name: object, names: list[str]) -> tuple[str, dict[str, Any]]:
    """Purpose and fields of the preset ``name``, which must be one of ``names``."""
    if not isinstance(name, str) or name not in names:
        raise ConfigError(unknown("preset", name, names))
    text = (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    comments = (line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))
    return next(comments, ""), parse_toml(text, f"preset {name}")


def presets() -> list[Preset]:
    """All presets of arrays and cores, sorted by name."""
    return [preset(name) for name in preset_names()]


def engine_presets() -> list[EnginePreset]:
    """All presets of engines, sorted by name."""
    return [engine_preset(name) for name in engine_preset_names()]
