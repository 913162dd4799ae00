"""Sequences of commands: every ordered pair of dataflows, at once or with gaps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tilewright.sim_tests.drivers.cycle_points import CycleSequence, cycle_sequence
from tilewright.sim_tests.system.bench import Bench
from tilewright.sim_tests.system.program import Step

SEQUENCES = 12  # beside every ordered pair of dataflows


def back_to_back(bench: Bench) -> None:
    """Every ordered pair of dataflows without a pause between, on shared and separate words of C."""
    for sequence in _pairs(bench):
        author = bench.author(filled=True)
        for command in sequence.commands:
            author.add(Step(command=command))
        author.look_at_everything()
        bench.run(author.steps)


def predicted_cycles(bench: Bench) -> None:
    """The cycle of every answer, against the cycle model."""
    for sequence in list(sequences(bench)):
        bench.time(sequence)


def sequences(bench: Bench) -> Iterator[CycleSequence]:
    """Sequences for the cycle model: the pairs, and random ones."""
    yield from _pairs(bench)
    for _ in range(SEQUENCES):
        yield cycle_sequence(bench.config, bench.rng)


def _pairs(bench: Bench) -> Iterator[CycleSequence]:
    """A sequence for every ordered pair of dataflows."""
    for pair in itertools.product(bench.dataflows, repeat=2):
        yield cycle_sequence(bench.config, bench.rng, pair=pair)
