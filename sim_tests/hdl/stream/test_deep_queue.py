"""All that comes goes, in its order, whoever waits; as many wait as it says, and none after a reset."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amaranth.sim import Simulator

from tilewright.hdl.stream.deep_queue import DeepQueue

DEPTH = 8


def run(gives: Any, takes: Any, cycles: int) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    """(offered and taken, given, (cycle, how many wait) after each) with valid and ready of ``gives`` and ``takes``."""
    queue = DeepQueue("test", 8, DEPTH)
    sent: list[int] = []
    came: list[int] = []
    held: list[tuple[int, int]] = []

    async def bench(ctx: Any) -> None:
        payload = 0
        for cycle in range(cycles):
            ctx.set(queue.i.valid, gives(cycle))
            ctx.set(queue.i.payload, payload & 0xFF)
            ctx.set(queue.o.ready, takes(cycle))
            _, _, ready, valid, out = await ctx.tick().sample(queue.i.ready, queue.o.valid, queue.o.payload)
            if ready and gives(cycle):
                sent.append(payload & 0xFF)
                payload += 1
            if valid and takes(cycle):
                came.append(out)
            held.append((cycle, len(sent) - len(came)))

    simulator = Simulator(queue)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return sent, came, held


@pytest.mark.parametrize("seed", range(6))
def test_order_and_nothing_lost(seed: int) -> None:
    rng = random.Random(seed)
    give, take = rng.choice((0.2, 0.6, 1.0)), rng.choice((0.2, 0.6, 1.0))
    gives, takes = [rng.random() < give for _ in range(400)], [rng.random() < take for _ in range(400)]
    sent, came, held = run(gives.__getitem__, takes.__getitem__, 400)
    assert came == sent[: len(came)] and len(sent) - len(came) <= DEPTH + 1
    assert max(waiting for _, waiting in held) <= DEPTH + 1


def test_depth_latency_and_throughput() -> None:
    sent, came, _ = run(lambda _: True, lambda _: False, 40)
    assert (len(sent), came) == (DEPTH + 1, [])
    sent, came, _ = run(lambda _: True, lambda _: True, 40)
    assert len(came) == 40 - DeepQueue.latency


@pytest.mark.parametrize("depth", [0, 1, 6])
def test_depth_is_a_power_of_two(depth: int) -> None:
    with pytest.raises(ValueError, match=f"^depth must be a power of two of at least 2, got {depth}$"):
        DeepQueue("test", 8, depth)
