"""What is exported: the output of a core or engine, and what its manifest tells of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.engine_files import generate_engine
from tilewright.generators.emit.files import generate


@dataclass(frozen=True)
class Port:
    """A port of the top module: ``direction`` is ``input`` or ``output``; ``width`` in bits."""

    name: str
    direction: str
    width: int


@dataclass(frozen=True)
class Product:
    """A core or an engine that is exported.

    Attributes:
        config: of it.
        files: name to text of everything that `tilewright systolic` or `tilewright engine` writes of it.
    """

    config: SystolicConfig
    files: Mapping[str, str]

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What its manifest tells."""
        found: dict[str, Any] = json.loads(self.files["manifest.json"])
        return found

    @property
    def is_engine(self) -> bool:
        """Whether it is an engine; else it is a core."""
        return isinstance(self.config, EngineConfig)

    @property
    def top(self) -> str:
        """Name of the top module."""
        return self.config.module_name

    @property
    def source(self) -> str:
        """Name of its Verilog file."""
        return f"{self.top}.v"

    @property
    def command(self) -> str:
        """The command that makes it."""
        return str(self.manifest["command"])

    @property
    def version(self) -> str:
        """Of Tilewright."""
        return str(self.manifest["version"])

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """Ports of the top module, in its order."""
        return tuple(Port(port["name"], port["direction"], port["width"]) for port in self.manifest["ports"])


def product_of(config: SystolicConfig) -> Product:
    """All of a configuration's output, which it takes seconds to make."""
    return Product(config, generate_engine(config) if isinstance(config, EngineConfig) else generate(config))
