"""Output folders of engines that tests look at, each generated once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tilewright.generators.config.engine import EngineConfig, engine_config
from tilewright.generators.config.presets import engine_preset, engine_preset_names
from tilewright.generators.emit.engine_files import generate_engine

MODULE = "tilewright_engine"
OTHERS: dict[str, dict[str, Any]] = {
    "os-bf16-gelu-256": {
        "rows": 2, "cols": 4, "dataflow": "os", "a": "bf16", "gelu": True, "bus_bits": 256,
        "a_words": 64, "b_words": 64, "c_words": 32, "max_burst": 256, "outstanding": 64, "address_bits": 64,
    },
    "is-3x5-512": {
        "rows": 3, "cols": 5, "dataflow": "is", "a": "uint4", "b": "int12", "acc": "int24", "result": "uint16",
        "overflow": "saturate", "bus_bits": 512, "a_words": 64, "b_words": 64, "c_words": 30, "max_burst": 1,
        "outstanding": 2, "address_bits": 12, "row_sums": 20, "adds": True, "pool_words": 8, "channels": 7,
    },
}  # fmt: skip
"""Beside the presets: other dataflows, formats, widths of the port, and the ends of its parameters."""
ENGINES = (*engine_preset_names(), *OTHERS)
WITH_MEMORY = tuple(name for name in ENGINES if not name.endswith("-stream"))
"""Those with a memory port."""


def config(name: str) -> EngineConfig:
    """The configuration of one of `ENGINES`."""
    return engine_config(OTHERS[name]) if name in OTHERS else engine_preset(name).config


@cache
def engine_files(name: str) -> Mapping[str, str]:
    """Its files."""
    return generate_engine(config(name))
