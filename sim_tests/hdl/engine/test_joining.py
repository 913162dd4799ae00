"""Which runs are asked for together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.hdl.engine.joining import Joining
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

ENOUGH = 64
BITS = 16
FIELDS = {"row_end": 1, "fill": 0xABCD, "stream": 3, "element": 2, "tag": 77}


def random_runs(seed: int, count: int) -> list[dict[str, int]]:
    """Most begin where the one before ends."""
    rng = np.random.default_rng(seed)
    runs, at = [], 0
    for _ in range(count):
        at = at if rng.integers(0, 5) else int(rng.integers(0, 1 << BITS))
        size = int(rng.choice([1, 3, 16, 63, 64, 65, 5000]))
        run = {
            "address": at,
            "bytes": size,
            "inside": int(rng.integers(0, 8) > 0),
            "last": int(rng.integers(0, 9) == 0),
        }
        runs.append(run | FIELDS)
        at = (at + size) % (1 << BITS)
    runs[-1]["last"] = 1
    return runs


def joined(runs: list[dict[str, int]]) -> list[tuple[bool, int, int]]:
    """Whether each run is joined by the next, and the span so far."""
    found: list[tuple[bool, int, int]] = []
    start = count = 0
    size = 0
    for run, following in zip(runs, [*runs[1:], None], strict=True):
        if count == 0:
            start, size = run["address"], 0
        size, count = size + run["bytes"], count + 1
        joins = (
            following is not None
            and bool(run["inside"] and following["inside"] and not run["last"])
            and following["address"] == (run["address"] + run["bytes"]) % (1 << BITS)
            and size < ENOUGH
            and count < Joining.most_runs
        )
        found.append((joins, start, size))
        count = count if joins else 0
    return found


def run_all(runs: list[dict[str, int]], idle: float, stall: float) -> list[tuple[int, Any]]:
    block = Joining(BITS, 16, ENOUGH)
    found: list[tuple[int, Any]] = []
    processes = [send(block.i, runs, idle=idle), take(block.o, found, stall=stall, seed=3)]
    simulate(block, processes, lambda: len(found) >= len(runs), limit=20 * len(runs))
    assert len(found) == len(runs)
    return found


@pytest.mark.parametrize(("idle", "stall"), [(0, 0), (0.6, 0), (0, 0.6), (0.4, 0.4)])
def test_random_runs(idle: float, stall: float) -> None:
    runs = random_runs(int(10 * idle + 100 * stall), 400)
    for run, (joins, start, size), (_, got) in zip(runs, joined(runs), run_all(runs, idle, stall), strict=True):
        assert (got.joins, got.span_bytes, got.offset) == (joins, size, run["address"] % 16)
        assert got.span_address == start
        assert {field: got[field] for field in run if field != "address"} == {
            field: value for field, value in run.items() if field != "address"
        }


def test_a_run_a_cycle() -> None:
    found = run_all(random_runs(5, 100), 0, 0)
    assert [cycle for cycle, _ in found][1:-1] == list(range(Joining.latency + 1, Joining.latency + 99))


def test_enough_is_refused_where_spans_could_grow_too_long() -> None:
    with pytest.raises(ValueError, match=r"enough must be 1\.\.524287 bytes, got 0"):
        Joining(40, 16, 0)
    with pytest.raises(ValueError, match=r"enough must be 1\.\.524287 bytes, got 524288"):
        Joining(40, 16, 1 << 19)
