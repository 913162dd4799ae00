"""The cycle model equals the RTL on every command, whatever comes before it."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from tilewright.generators.reference.core import DATAFLOWS
from tilewright.sim_tests.drivers.cycle_points import CycleSequence, cycle_sequence
from tilewright.sim_tests.system.designs import gate_designs

SEQUENCES = 12  # for each core, besides every ordered pair of its dataflows


def _sequences(name: str) -> list[CycleSequence]:
    config = gate_designs()[name].config
    rng = np.random.default_rng([2, *name.encode()])
    pairs = list(itertools.product(DATAFLOWS[config.dataflow], repeat=2))
    return [cycle_sequence(config, rng, pair=[int(d) for d in pair]) for pair in pairs] + [
        cycle_sequence(config, rng) for _ in range(SEQUENCES)
    ]


@pytest.mark.parametrize("name", sorted(gate_designs()))
def test_every_command_takes_the_predicted_cycles(name: str) -> None:
    design = gate_designs()[name]
    build = design.build()
    for sequence in _sequences(name):
        measured = sequence.measured(design.parameters, build)
        assert measured == sequence.predicted(), sequence


def test_the_sequences_exercise_what_is_hard() -> None:
    found = sum((sequence.traits() for name in gate_designs() for sequence in _sequences(name)), Counter[str]())
    pairs = {f"{a} then {b}" for a, b in itertools.product(("ws", "os", "is"), repeat=2)}
    hard = pairs | {"overlapping C", "stream < R", "one fold", "waits for partial sums"}
    assert {trait for trait in hard if found[trait] < 3} == set()


def test_enough_points_on_enough_cores() -> None:
    points = {name: sum(len(s.commands) for s in _sequences(name)) for name in gate_designs()}
    assert len(points) >= 8
    assert sum(points.values()) >= 300
