"""What `tilewright build` wrote, read again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tilewright.fpga.boards.board import Board
from tilewright.fpga.boards.known import board
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.input_file import LARGEST_TEXT, read_bytes

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Built:
    """A folder with a built design.

    Attributes:
        folder: where it is.
        board: what it was built for.
        top: its top module, with which the names of its files begin.
        baud: the rate of its UART.
    """

    folder: Path
    board: Board
    top: str
    baud: int


def read_built(folder: Path) -> Built:
    """Raises ConfigError where ``folder`` is none that `tilewright build` has written."""
    try:
        told = json.loads(read_bytes(folder / MANIFEST, LARGEST_TEXT))
        return Built(folder, board(str(told["board"])), str(told["top"]), int(told["baud"]))
    except (OSError, ValueError, LookupError, TypeError):
        raise ConfigError(
            f"a build must be a folder that tilewright build has written, got '{folder}'; "
            f"nearest legal step is tilewright build --board ulx3s -o '{folder}'"
        ) from None
