"""The tests of an engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tilewright.sim_tests.drivers.engine_build import engine_spec
from tilewright.sim_tests.harness import Build, SimulationFailed, make
from tilewright.sim_tests.system.engine_campaign import run_engine
from tilewright.sim_tests.system.engine_designs import EngineDesign
from tilewright.sim_tests.verify.engine_subject import EngineSubject
from tilewright.sim_tests.verify.outcome import Outcome
from tilewright.sim_tests.verify.tests import Test

PRODUCTS = 200
"""Matrix products of the random programs."""
ENGINE_TESTS = {
    "random": Test(
        "random",
        "random programs in memories of random behaviour: every byte of memory against the interpreter of programs, "
        "and the rules of AXI",
        (),
    ),
}


@dataclass(frozen=True)
class _Given(EngineDesign):
    """An engine whose Verilog is given."""

    sources: Mapping[str, str]

    @cached_property
    def build(self) -> Build:
        """See `EngineDesign`."""
        return make(engine_spec(self.config, self.sources))


def run_engine_tests(
    subject: EngineSubject, names: Sequence[str], seed: int, begins: Callable[[Test], None] = lambda _: None
) -> list[Outcome]:
    """Runs the tests called ``names``; ``begins`` is told of each. `PRODUCTS` are ``commands``, results ``compared``.

    The reason of a failure ends with the line that replays it.
    """
    outcomes = []
    design = _Given(subject.name, subject.config, subject.sources)
    for name in names:
        test = ENGINE_TESTS[name]
        begins(test)
        start, reason, done = time.perf_counter(), "", (0, 0, 0)
        try:
            tally = run_engine(design, seed, PRODUCTS)
            done = (tally.products, tally.results, tally.cycles)
        except SimulationFailed as failure:
            reason = str(failure)
        products, results, cycles = done
        seconds = time.perf_counter() - start
        outcomes.append(Outcome(test, products, results, 0, 0, 0, cycles, seconds, reason))
    return outcomes
