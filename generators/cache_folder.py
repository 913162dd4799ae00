"""Where is kept what need not be made twice."""

from __future__ import annotations

import os
from pathlib import Path

from tilewright.generators.config.errors import ConfigError


def cache_folder() -> Path:
    """``$TILEWRIGHT_CACHE``, else ``tilewright`` in the user's cache folder; an absolute path, which need not exist."""
    named = os.environ.get("TILEWRIGHT_CACHE")
    try:
        if named:
            return Path(named).expanduser().absolute()
        return (Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tilewright").absolute()
    except RuntimeError:  # there is no such user, or no folder of this one
        raise ConfigError(
            f"TILEWRIGHT_CACHE must be a folder, got {named!r}, but the home folder is unknown; "
            f"nearest legal value is '/tmp/tilewright'"
        ) from None
