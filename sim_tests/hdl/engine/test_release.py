"""Matrices leave the core by the way of their job, and the mover hears of one only when it is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.hdl.engine.records import FINISH_ORDER
from tilewright.hdl.engine.release import Release
from tilewright.hdl.stream.beat import beat_layout
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

BEAT = beat_layout(4, 8)


@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_each_matrix_by_its_way(stall: float) -> None:
    rng = np.random.default_rng(11)
    release = Release(32, BEAT, 2)
    ways = [int(rng.integers(2)) for _ in range(40)]
    jobs = [
        {"order": {"stream": way, "tag": i, "box": {"rows": i + 1, "cols": i + 1}}, "finish": 3 * i}
        for i, way in enumerate(ways)
    ]
    matrices = [[int(rng.integers(1 << 32)) for _ in range(int(rng.integers(1, 6)))] for _ in ways]
    beats = [
        {"data": data, "keep": 15, "last": at == len(matrix) - 1}
        for matrix in matrices
        for at, data in enumerate(matrix)
    ]
    orders: list[Any] = []
    found: list[list[Any]] = [[], []]
    finishes: list[Any] = []
    processes = [
        send(release.job, jobs, idle=stall, seed=1),
        send(release.beats, beats, idle=stall, seed=2),
        take(release.order, orders, stall=stall, seed=3),
        take(release.o_0, found[0], stall=stall, seed=4),
        take(release.o_1, found[1], stall=stall, seed=5),
        take(release.finish, finishes, stall=stall, seed=6),
    ]
    simulate(release, processes, lambda: len(found[0]) + len(found[1]) == len(beats), limit=5000)
    assert [(o.stream, o.tag, o.box.rows) for _, o in orders] == [(way, i, i + 1) for i, way in enumerate(ways)]
    for way in (0, 1):
        wanted = [data for w, matrix in zip(ways, matrices, strict=True) if w == way for data in matrix]
        assert [payload.data for _, payload in found[way]] == wanted
    shift = FINISH_ORDER.size - 16
    wanted_finishes = [(3 * i, i + 1) for i, way in enumerate(ways) if way]
    bits = [payload.as_bits() for _, payload in finishes]
    assert [(word & ((1 << shift) - 1), word >> shift) for word in bits] == wanted_finishes


def test_no_order_without_a_beat() -> None:
    release = Release(32, BEAT, 1)
    orders: list[Any] = []
    cycles: list[int] = []

    async def late(ctx: Any) -> None:
        for _ in range(50):
            await ctx.tick()
        assert not orders
        ctx.set(release.beats.payload, {"data": 1, "keep": 1, "last": 1})
        ctx.set(release.beats.valid, 1)
        while not (await ctx.tick().sample(release.beats.ready))[2]:
            pass
        ctx.set(release.beats.valid, 0)
        cycles.append(1)

    found: list[Any] = []
    processes = [
        send(release.job, [{"order": {"tag": 5}}]),
        take(release.order, orders),
        take(release.o_0, found),
        late,
    ]
    simulate(release, processes, lambda: bool(found), limit=100)
    assert [order.tag for _, order in orders] == [5]
