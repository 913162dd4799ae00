"""The cycle model equals the RTL on every command, whatever comes before it."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from tilewright.sim_tests.drivers.cycle_points import CycleSequence
from tilewright.sim_tests.system.bench import gate_bench
from tilewright.sim_tests.system.designs import gate_designs
from tilewright.sim_tests.system.sequences import predicted_cycles, sequences


def all_sequences() -> dict[str, list[CycleSequence]]:
    return {name: list(sequences(gate_bench(name))) for name in gate_designs()}


@pytest.mark.parametrize("name", sorted(gate_designs()))
def test_every_command_takes_the_predicted_cycles(name: str) -> None:
    bench = gate_bench(name)
    predicted_cycles(bench)
    assert bench.points == sum(len(sequence.commands) for sequence in sequences(gate_bench(name)))


def test_the_sequences_exercise_what_is_hard() -> None:
    found = sum((s.traits() for several in all_sequences().values() for s in several), Counter[str]())
    pairs = {f"{a} then {b}" for a, b in itertools.product(("ws", "os", "is"), repeat=2)}
    hard = pairs | {"overlapping C", "stream < R", "one fold", "waits for partial sums"}
    assert {trait for trait in hard if found[trait] < 3} == set()


def test_enough_points_on_enough_cores() -> None:
    points = {name: sum(len(s.commands) for s in several) for name, several in all_sequences().items()}
    assert len(points) >= 8
    assert sum(points.values()) >= 300
