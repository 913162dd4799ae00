"""A tensor on its way to be added: passed on in order, answered when it has been taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.hdl.engine.residual_port import ResidualPort
from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take


@pytest.mark.parametrize("stall", [0.0, 0.4])
@pytest.mark.parametrize("depth", [2, 8])
def test_matrices_pass_in_order_and_are_answered(stall: float, depth: int) -> None:
    rng = np.random.default_rng(depth)
    port = ResidualPort(beat_layout(4, 8), depth)
    lengths = [int(rng.integers(1, 12)) for _ in range(25)]
    commands = [{"rows": n, "cols": 4, "tag": i} for i, n in enumerate(lengths)]
    beats = [{"data": int(rng.integers(1 << 32)), "keep": 15, "last": at == n - 1} for n in lengths for at in range(n)]
    found: list[Any] = []
    answers: list[Any] = []
    processes = [
        send(port.command, commands, idle=stall, seed=1),
        send(port.i, beats, idle=stall, seed=2),
        take(port.o, found, stall=stall, seed=3),
        take(port.answer, answers, stall=stall, seed=4),
    ]
    simulate(port, processes, lambda: len(answers) == len(lengths), limit=4000)
    assert [(p.data, p.last) for _, p in found] == [(beat["data"], beat["last"]) for beat in beats]
    assert [(p.tag, p.status) for _, p in answers] == [(i, Status.OK) for i in range(len(lengths))]
    taken = [cycle for cycle, payload in found if payload.last]
    assert all(answer > end for (answer, _), end in zip(answers, taken, strict=True))


def test_an_empty_matrix_is_answered_at_once() -> None:
    port = ResidualPort(beat_layout(4, 8), 2)
    answers: list[Any] = []
    command = send(port.command, [{"rows": 0, "cols": 4, "tag": 9}, {"rows": 3, "cols": 0, "tag": 10}])
    simulate(port, [command, take(port.answer, answers)], lambda: len(answers) == 2, limit=50)
    assert [(p.tag, p.status) for _, p in answers] == [(9, Status.EMPTY), (10, Status.EMPTY)]
