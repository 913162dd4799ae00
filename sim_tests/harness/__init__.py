"""Simulation harness: the only code that builds and runs Verilator models."""

from tilewright.sim_tests.harness.beats import pack, unpack
from tilewright.sim_tests.harness.build import Build, BuildSpec, build, make
from tilewright.sim_tests.harness.errors import (
    BuildFailed,
    HarnessError,
    InterfaceError,
    SimulationFailed,
    ToolMissing,
)
from tilewright.sim_tests.harness.ports import Interface, StreamPort
from tilewright.sim_tests.harness.result import Result, StreamResult
from tilewright.sim_tests.harness.run import Run
from tilewright.sim_tests.harness.script import Limits
from tilewright.sim_tests.harness.stall import Stall

__all__ = [
    "Build",
    "BuildFailed",
    "BuildSpec",
    "HarnessError",
    "Interface",
    "InterfaceError",
    "Limits",
    "Result",
    "Run",
    "SimulationFailed",
    "Stall",
    "StreamPort",
    "StreamResult",
    "ToolMissing",
    "build",
    "make",
    "pack",
    "unpack",
]
