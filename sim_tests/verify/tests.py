"""The tests of a core: what each does, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.system.bounds import commands_at_edges, sizes_at_edges, transfers_at_edges
from tilewright.sim_tests.system.conflicts import conflicts
from tilewright.sim_tests.system.neighbours import neighbours
from tilewright.sim_tests.system.order import order
from tilewright.sim_tests.system.products import beyond_a_tile, ragged, stalls, widest_sums
from tilewright.sim_tests.system.programs import random_programs
from tilewright.sim_tests.system.rates import rates, undelayed
from tilewright.sim_tests.system.resets import resets
from tilewright.sim_tests.system.sequences import back_to_back, predicted_cycles

Check = Callable[[Bench], object]


@dataclass(frozen=True)
class Test:
    """A test: its name, what it shows, and the checks that it runs."""

    __test__ = False  # for pytest: not one of its own

    name: str
    shows: str
    checks: tuple[Check, ...]

    def run(self, bench: Bench) -> None:
        """Runs it; SimulationFailed where the core does not do what it should."""
        for check in self.checks:
            check(bench)


TESTS = {
    test.name: test
    for test in (
        Test("smoke", "one product from zero, bias and old C, in each dataflow of the core", (beyond_a_tile,)),
        Test("ragged", "extents around the edges of tiles", (ragged,)),
        Test("sums", "the deepest product of the largest and smallest operands", (widest_sums,)),
        Test("stalls", "idle sources, slow sinks, long pauses", (stalls,)),
        Test(
            "refusals",
            "every refused command and transfer changes nothing; legal ones at every edge of the scratchpads",
            (transfers_at_edges, sizes_at_edges, commands_at_edges),
        ),
        Test("in-use", "words of a command in flight are refused, those right beside them are free", (neighbours,)),
        Test("order", "transfers and commands of the same words, at every distance in time", (order,)),
        Test("rates", "loads and read-outs take a beat a cycle, and slow no command beside them", (rates, undelayed)),
        Test("back-to-back", "no pause between commands, for each ordered pair of dataflows", (back_to_back,)),
        Test("cycles", "every command takes the cycles of the model", (predicted_cycles, conflicts)),
        Test("reset", "a reset in the middle of everything, after which all works as before", (resets,)),
        Test("random", "random programs with random pauses", (random_programs,)),
    )
}
