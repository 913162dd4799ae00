"""What is asked of an output file before any work."""

from __future__ import annotations

import os
from pathlib import Path

from tilewright.generators.config.errors import ConfigError


def check_writable(option: str, path: Path) -> None:
    """Raises ConfigError, before any work, where the file ``path`` named by ``option`` cannot be written."""
    if path.is_dir():
        raise ConfigError(
            f"{option} must be a file, got the folder '{path}'; nearest legal value is '{path}/junit.xml'"
        )
    if path.exists() and not path.is_file():  # it would be replaced, or waited for
        raise ConfigError(
            f"{option} must be an ordinary file, got the pipe or device '{path}'; nearest legal value is a new file"
        )
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise ConfigError(
            f"{option} must be a file in a folder that can be written, got '{path}'; "
            f"nearest legal value is '{path.name}' in a folder of your own"
        )
