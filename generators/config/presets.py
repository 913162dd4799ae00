"""The presets: ready configurations that ship with the package, every one of them built and tested by the gate."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from tilewright.generators.config.errors import ConfigError, unknown
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.config.toml_file import parse_toml

_FOLDER = resources.files("tilewright.generators.presets")


@dataclass(frozen=True)
class Preset:
    """A configuration with a name and a line on what it is for: the first comment of its file after the schema."""

    name: str
    purpose: str
    config: SystolicConfig


def preset_names() -> list[str]:
    """Names of all presets, sorted."""
    return sorted(entry.name.removesuffix(".toml") for entry in _FOLDER.iterdir() if entry.name.endswith(".toml"))


def preset(name: str) -> Preset:
    """The preset called ``name``. Raises ConfigError that offers the nearest name where there is none."""
    names = preset_names()
    if not isinstance(name, str) or name not in names:
        raise ConfigError(unknown("preset", name, names))
    text = (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    comments = (line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))
    return Preset(name, next(comments, ""), systolic_config(parse_toml(text, f"preset {name}")))


def presets() -> list[Preset]:
    """All presets, sorted by name."""
    return [preset(name) for name in preset_names()]
