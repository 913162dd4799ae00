"""An engine that is verified: its Verilog, byte for byte, and the configuration that it claims to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tilewright.generators.config.engine import EngineConfig
from tilewright.sim_tests.drivers.engine_build import engine_spec
from tilewright.sim_tests.harness import BuildSpec


@dataclass(frozen=True)
class EngineSubject:
    """See `Subject`."""

    name: str
    config: EngineConfig
    sources: Mapping[str, str]
    edited: tuple[str, ...] = ()

    def spec(self) -> BuildSpec:
        """The simulator of the Verilog."""
        return engine_spec(self.config, self.sources)
