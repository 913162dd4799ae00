"""The core that a board has where nothing else is asked for, and the largest that was made for it."""

from __future__ import annotations

from importlib import resources
from typing import Any

from tilewright.fpga.boards.board import Board
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.toml_file import parse_toml

LARGEST = "max"
"""The name of the preset that fills a board."""
_FOLDER = resources.files("tilewright.fpga.boards.presets")
_SMALL = "small.toml"


def board_fields(board: Board) -> dict[str, Any]:
    """Its fields."""
    own = f"{board.name}.toml"
    return _fields(own if (_FOLDER / own).is_file() else _SMALL)


def largest_fields(board: Board) -> dict[str, Any]:
    """Those of the core that fills the board. Raises ConfigError where there is none that is larger than its own."""
    name = f"{board.name}-{LARGEST}.toml"
    if not (_FOLDER / name).is_file():
        raise ConfigError(
            f"--preset {LARGEST} must be for a board that more fits than its own core, got {board.name}; "
            f"nearest legal step is to leave --preset out"
        )
    return _fields(name)


def _fields(name: str) -> dict[str, Any]:
    return parse_toml((_FOLDER / name).read_text(encoding="utf-8"), name)
