"""What the reports ask their user for: a core, and matrix products."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tilewright.generators.commands.options import starting_fields
from tilewright.generators.config.errors import ConfigError, must_be
from tilewright.generators.config.resolve import over
from tilewright.generators.config.rules import Whole
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.report.workload import Layer

ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="TOML file of fields; options below override it.")
]
PresetOption = Annotated[
    str | None, typer.Option("--preset", metavar="NAME", help="Start from a preset; options below override it.")
]
RowsOfA = Annotated[str | None, typer.Argument(metavar="M", help="Rows of A and C.", show_default=False)]
ColumnsOfB = Annotated[str | None, typer.Argument(metavar="N", help="Columns of B and C.", show_default=False)]
Depth = Annotated[str | None, typer.Argument(metavar="K", help="Columns of A, rows of B.", show_default=False)]

EXTENT = Whole(1, 65_535)
DOES_NOT_FIT = "the scratchpads do not hold it; --max-m, --max-n and --max-k make them larger"


def core_config(config: Path | None, preset: str | None, fields: Mapping[str, Any]) -> SystolicConfig:
    """The configuration of a file, a preset or the defaults, with ``fields`` in place of its own.

    A core whose dataflow nobody names, or which is called "auto", can do all three.
    """
    values = {"dataflow": "any", **over(starting_fields(config, preset), fields)}
    if values["dataflow"] == "auto":
        values["dataflow"] = "any"
    return systolic_config(values)


def product(m: str | None, n: str | None, k: str | None) -> Layer:
    """The product of the three words of the command line."""
    words = {"M": m, "N": n, "K": k}
    given = [word for word in words.values() if word is not None]
    if len(given) < len(words):
        got = f"got {' '.join(given)}" if given else "got none"
        raise ConfigError(f"M, N and K must be given, three whole numbers 1..65535, {got}; for example 64 64 64")
    extents = []
    for name, word in zip(words, given, strict=True):
        extent = EXTENT.read(word)
        if extent is None:
            meant = int(word) if word.isdecimal() and len(word) <= 20 else word
            raise ConfigError(must_be(name, EXTENT.text, meant, EXTENT.nearest(word)))
        extents.append(extent)
    return Layer("product", *extents)
