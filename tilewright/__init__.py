"""Tilewright: systolic matrix engines and dataflow fabrics, from a short configuration to verified Verilog."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilewright.generators.config.errors import ConfigError as ConfigError
    from tilewright.generators.config.systolic import SystolicConfig as SystolicConfig
    from tilewright.generators.config.systolic import systolic_config as systolic_config

__version__ = version("tilewright")

# Loaded on first use: components and the command line import this package too, and should not wait for all of it.
_PUBLIC = {
    "ConfigError": "tilewright.generators.config.errors",
    "SystolicConfig": "tilewright.generators.config.systolic",
    "systolic_config": "tilewright.generators.config.systolic",
}
__all__ = ["ConfigError", "SystolicConfig", "__version__", "systolic_config"]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'tilewright' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)
