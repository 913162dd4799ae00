"""The core that a board has where nothing else is asked for."""

from __future__ import annotations

from importlib import resources
from typing import Any

from tilewright.fpga.boards.board import Board
from tilewright.generators.config.toml_file import parse_toml

_FOLDER = resources.files("tilewright.fpga.boards.presets")
_SMALL = "small.toml"


def board_fields(board: Board) -> dict[str, Any]:
    """Its fields."""
    own = f"{board.name}.toml"
    name = own if (_FOLDER / own).is_file() else _SMALL
    return parse_toml((_FOLDER / name).read_text(encoding="utf-8"), name)
