"""Project IceStorm's database of the iCE40's bits, as Debian's package brings it."""

from __future__ import annotations

import importlib
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from tilewright.generators.config.errors import ConfigError

_FOLDERS = ("/usr/share/fpga-icestorm/python", "/usr/local/share/icebox", "/usr/local/bin", "/usr/share/icebox")


def installed() -> str:
    """Where it is; "" where it is not installed."""
    return next((folder for folder in _FOLDERS if (Path(folder) / "icebox.py").exists()), "")


@cache
def icebox() -> Any:
    """The module ``icebox``. Raises ConfigError where it is not installed."""
    folder = installed()
    if not folder:
        raise ConfigError(
            "icebox must be installed to take a bitstream apart; nearest legal step is apt-get install fpga-icestorm"
        )
    sys.path.insert(0, folder)  # it imports its tables by name
    try:
        with warnings.catch_warnings(action="ignore"):  # of its escapes
            return importlib.import_module("icebox")
    finally:
        sys.path.remove(folder)
