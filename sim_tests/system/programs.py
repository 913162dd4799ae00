"""Random programs of anything a user may do and may try, with random pauses."""

from __future__ import annotations

from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.system.campaign import random_stalls

PROGRAMS, COMMANDS = 4, 10


def random_programs(bench: Bench) -> None:
    """A few random programs."""
    for _ in range(PROGRAMS):
        bench.run(bench.author().write(COMMANDS), random_stalls(bench.rng, bench.build))
