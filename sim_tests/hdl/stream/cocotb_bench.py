"""The build that the cocotb tests of streams share."""

from __future__ import annotations

from functools import cache

from tilewright.hdl.stream import Buffer, Checker, Watched, beat_layout
from tilewright.sim_tests.drivers.side_by_side import Bench
from tilewright.sim_tests.harness.cocotb_run import CocotbResult, run_cocotb
from tilewright.sim_tests.hdl.stream.faulty import Faulty


@cache
def bench() -> Bench:
    """A checker whose inputs are ports; a block that breaks rules, and one that does not, inside `Watched`."""
    blocks = {
        "checker": Checker(beat_layout(4, 4), packed=True),
        "faulty": Watched(Faulty(beat_layout(2, 8))),
        "buffer": Watched(Buffer(8)),
    }
    return Bench("checker_bench", blocks, cocotb=True)


def run(module: str, seed: int = 1) -> CocotbResult:
    """Runs a test module of this folder."""
    return run_cocotb(bench().build, f"tilewright.sim_tests.hdl.stream.{module}", seed=seed)
