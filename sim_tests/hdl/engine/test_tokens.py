"""Tokens against a model that counts."""

from __future__ import annotations

import random

from tilewright.hdl.engine.records import TOKENS
from tilewright.hdl.engine.tokens import SEQUENCERS, Tokens
from tilewright.sim_tests.drivers.cycle_by_cycle import run

MOST = 63


def _lacking(counts: list[int], waits: int) -> int:
    return sum(1 << kind for kind in range(TOKENS) if waits >> kind & 1 and not counts[kind])


def _play(rng: random.Random, cycles: int, *, giving: float) -> tuple[int, int, bool]:
    """Random demands and gifts; takes whenever it may. (takes, conflicts seen, overflow)."""
    counts = [0] * TOKENS
    driven: dict[str, int] = {}
    seen = {"takes": 0, "conflicts": 0, "overflow": False}

    def step(cycle: int, outputs: dict[str, int]) -> dict[str, int] | None:
        # The outputs answer the wants and waits that were set after the edge before.
        could = 0
        for name in SEQUENCERS:
            wants, waits = driven.get(f"{name}_wants", 0), driven.get(f"{name}_waits", 0)
            assert outputs[f"{name}_missing"] == _lacking(counts, waits if wants else 0)
            all_there = bool(wants and not outputs[f"{name}_missing"])
            assert outputs[f"{name}_go"] == (all_there and not waits & could)
            seen["conflicts"] += bool(all_there and waits & could)
            could |= waits if all_there else 0
        assert outputs["overflow"] == seen["overflow"]
        if cycle == cycles:
            return None
        # What `takes` and `gives` were set to at the edge before acts at this one.
        for name in SEQUENCERS:
            for kind in range(TOKENS):
                counts[kind] += driven.get(f"{name}_gives", 0) >> kind & 1
                if driven.get(f"{name}_takes") and driven[f"{name}_waits"] >> kind & 1:
                    counts[kind] -= 1
            seen["takes"] += driven.get(f"{name}_takes", 0)
        seen["overflow"] |= max(counts) > MOST
        counts[:] = [min(count, MOST) for count in counts]
        return next_inputs()

    def next_inputs() -> dict[str, int]:
        inputs: dict[str, int] = {}
        could = 0
        for name in SEQUENCERS:
            waits = sum(1 << kind for kind in range(TOKENS) if rng.random() < 0.15)
            wants = rng.random() < 0.7
            all_there = wants and not _lacking(counts, waits)
            go = all_there and not waits & could
            could |= waits if all_there else 0
            inputs |= {f"{name}_wants": wants, f"{name}_waits": waits, f"{name}_takes": go}
            inputs[f"{name}_gives"] = sum(1 << kind for kind in range(TOKENS) if rng.random() < giving)
        driven.update(inputs)
        return inputs

    run(Tokens(), step)
    return seen["takes"], seen["conflicts"], bool(seen["overflow"])


def test_random_demands_and_gifts() -> None:
    takes, conflicts, overflow = _play(random.Random(1), 3000, giving=0.025)
    assert takes > 200 and conflicts > 20 and not overflow


def test_one_token_more_than_63_is_told_and_stays_told() -> None:
    assert _play(random.Random(2), 400, giving=0.9)[2]


def test_who_lacks_a_token_keeps_none_from_those_who_give_it() -> None:
    """The load sequencer waits for kinds 0 and 1; kind 0 is there, kind 1 is given by who waits for kind 0."""
    answers = []

    def step(cycle: int, outputs: dict[str, int]) -> dict[str, int] | None:
        answers.append((outputs["load_go"], outputs["compute_go"]))
        both = {"load_wants": 1, "load_waits": 0b11, "compute_wants": 1, "compute_waits": 0b01}
        return {"store_gives": int(cycle == 0), **both} if cycle < 3 else None

    run(Tokens(), step)
    assert answers[-1] == (0, 1)
