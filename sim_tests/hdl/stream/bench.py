"""The one build that most tests of streams share, and how fast its streams go."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from tilewright.hdl.stream import (
    Buffer,
    Credit,
    Fork,
    Join,
    Narrow,
    PriorityMux,
    Queue,
    RoundRobinMux,
    SelectMux,
    Watched,
    Widen,
    beat_layout,
)
from tilewright.hdl.structure import Block
from tilewright.sim_tests.drivers.side_by_side import Bench
from tilewright.sim_tests.harness import Stall
from tilewright.sim_tests.harness.run import execute
from tilewright.sim_tests.hdl.stream.faulty import Faulty

WIDTH = 20
QUEUE_DEPTH = 4
WAYS = 3
CREDITS = 5
LANES, ELEMENT = 2, 8
BEAT = beat_layout(LANES, ELEMENT)

#: Idle probability of what feeds a block, stalls of what reads it.
PACES = {
    "full speed": (0.0, Stall()),
    "slow producer": (0.6, Stall()),
    "slow consumer": (0.0, Stall(0.6)),
    "random": (0.4, Stall(0.4)),
    "bursts": (0.2, Stall(0.1, burst_probability=0.1, burst_length=(4, 20))),
    "shy consumer": (0.0, Stall(wait_for_valid=True)),
}
NEVER = Stall(1.0)


def blocks() -> dict[str, Block]:
    """What is in the build, by label."""
    watched: dict[str, Block] = {
        "buffer": Buffer(WIDTH),
        "queue": Queue("q", WIDTH, QUEUE_DEPTH),
        "fork": Fork(WIDTH, WAYS),
        "join": Join({"a": 7, "b": 13}),
        "round_robin": RoundRobinMux(WIDTH, WAYS),
        "round_robin_packets": RoundRobinMux(BEAT, WAYS),
        "priority": PriorityMux(WIDTH, WAYS),
        "priority_packets": PriorityMux(BEAT, WAYS),
        "select": SelectMux(WIDTH, WAYS),
        "select_packets": SelectMux(BEAT, WAYS),
        "widen3": Widen(LANES, ELEMENT, 3),
        "narrow3": Narrow(LANES, ELEMENT, 3),
        "widen4": Widen(1, 5, 4),
        "narrow4": Narrow(1, 5, 4),
        "faulty": Faulty(BEAT),
    }
    return {label: Watched(block) for label, block in watched.items()} | {"credit": Credit(CREDITS)}


@cache
def bench() -> Bench:
    """The build."""
    return Bench("stream_bench", blocks())


def numbers(count: int, seed: int, width: int = WIDTH) -> list[int]:
    """Random payloads."""
    return [int(value) for value in np.random.default_rng(seed).integers(0, 1 << width, count)]


def taken_while_blocked(stream_in: str, values: Sequence[int], *blocked: str) -> int:
    """How many payloads ``stream_in`` takes while the output streams ``blocked`` take none."""
    run = bench().run().send(stream_in, bench().payloads(values, stream_in))
    for name in blocked:
        run.expect(name, None, stall=NEVER)
    run.plan.limits = type(run.plan.limits)(quiet=50)
    return len(execute(run.build, run.plan)[stream_in])
