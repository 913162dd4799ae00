"""Simulation harness: the only code that builds and runs Verilator models.

A design is seen as streams. A build is made once per content and machine; a run is planned in Python and executed by a
compiled driver, which also watches the stream rules::

    made = build(sources, "top", [StreamPort("a", "in", (("a_data", 40),), "a_valid", "a_ready"), ...])
    beats = pack(numbers, 8, 40)                      # five 8-bit elements a beat
    run = Run(made, seed=7).send("a", beats, stall=0.2).expect("b", wanted, stall=Stall(0.1, wait_for_valid=True))
    result = run.execute()                            # raises SimulationFailed, with the line that replays the run
    result["b"].cycle, result["b"].offer, result.cycles_per_second

A design with AXI ports runs in an ``axi_session.AxiSession``: a memory behind its manager port, its registers, its
interrupt; a DMA (``axis_dma.AxisDma``) between that memory and its AXI4-Stream ports.

Elsewhere: ``build_many`` (several builds, with a progress bar), ``cocotb_run``, ``icarus_run``, ``lint``, ``replay``
(``python -m tilewright.sim_tests.harness.replay FILE``), ``ledger`` (sums over a test session), ``tools``.
Environment: ``TILEWRIGHT_CACHE`` (builds), ``TILEWRIGHT_FAILURES`` (recordings of failed runs), ``TILEWRIGHT_LEDGER``,
``CXX``.
"""

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
