"""Configurations that fit a board."""

from __future__ import annotations

from importlib import resources
from typing import Any

from tilewright.fpga.boards.board import Board
from tilewright.generators.config.errors import ConfigError, unknown
from tilewright.generators.config.presets import preset, preset_names
from tilewright.generators.config.toml_file import parse_toml

MAX = "max"
_FOLDER = resources.files("tilewright.fpga.boards.presets")


def board_fields(board: Board, name: str | None) -> dict[str, Any]:
    """The fields of a preset: ``max``, which fills the board, or one of `generators.presets`; None: a small one.

    Raises ConfigError.
    """
    files = {None: f"{board.name}.toml", MAX: f"{board.name}-{MAX}.toml"}
    if name not in files:
        if name not in preset_names():
            raise ConfigError(unknown("preset", name, (MAX, *preset_names())))
        return preset(name).config.model_dump(exclude_unset=True)
    return parse_toml((_FOLDER / files[name]).read_text(encoding="utf-8"), files[name])
