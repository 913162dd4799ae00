"""Flags of results that are written are counted, whatever is written or cleared beside them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from tilewright.hdl.arith.window_status import FLAGS, WindowStatus
from tilewright.sim_tests.hdl.arith.window_blocks import STATUS, bench

Writes = Iterable[tuple[int, int, list[int], int]]


def counted(block: WindowStatus, writes: Writes) -> dict[str, list[int]]:
    """What each output shows, from the first cycle after the latency on."""
    counts = dict.fromkeys(FLAGS, 0)
    shown: dict[str, list[int]] = {port: [] for flag in FLAGS for port in (flag, f"{flag}_count")}
    for write, written, flags, clear in writes:
        for bit, flag in enumerate(FLAGS):
            old = 0 if clear else counts[flag]
            found = sum(written >> lane & lane_flags >> bit & 1 for lane, lane_flags in enumerate(flags))
            counts[flag] = min(old + found * write, (1 << block.count_width) - 1)
            shown[flag].append(int(counts[flag] > 0))
            shown[f"{flag}_count"].append(counts[flag])
    return shown


@pytest.mark.parametrize("label", STATUS)
@pytest.mark.parametrize("clears", [0.002, 0.3])
def test_every_count_in_every_cycle(label: str, clears: float) -> None:
    block, rng, cycles = STATUS[label], np.random.default_rng(STATUS[label].lanes), 600
    often = rng.random((cycles, block.lanes, 3)) < np.array([0.02, 0.1, 0.6])
    flags = (often @ np.array([1, 2, 4])).tolist()
    write = (rng.random(cycles) < 0.7).astype(int).tolist()
    clear = (rng.random(cycles) < clears).astype(int).tolist()
    written = rng.integers(0, 1 << block.lanes, cycles).tolist()
    idle = [0] * block.latency
    inputs = {"write": write + idle, "written": written + idle, "clear": clear + idle}
    inputs["flags"] = [sum(lane << 3 * index for index, lane in enumerate(row)) for row in flags] + idle
    got = bench().wiggle(label, inputs)
    want = counted(block, zip(write, written, flags, clear, strict=True))
    for port, values in want.items():
        assert got[port][block.latency :] == values, port
    if clears < 0.01:  # then short counters have stopped
        full = (1 << block.count_width) - 1
        assert (full in want["underflow_count"]) == (block.count_width < 32)


def test_a_clear_beside_a_write_keeps_what_is_written() -> None:
    inputs = {"write": [1, 1, 0, 0, 0, 0], "written": [7, 5, 0, 0, 0, 0], "clear": [0, 1, 0, 1, 0, 0]}
    inputs["flags"] = [0b010_010_010, 0b010_010_001, 0, 0, 0, 0]
    got = bench().wiggle("status_3", inputs)
    assert got["overflow_count"] == [0, 0, 3, 1, 1, 0]
    assert got["invalid_count"] == [0, 0, 0, 1, 1, 0]
    assert got["overflow"] == [0, 0, 1, 1, 1, 0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0,), "lanes must be at least 1, got 0; nearest legal value is 1"),
        ((4, 0), "count_width must be at least 1, got 0; nearest legal value is 1"),
    ],
)
def test_what_is_refused(arguments: tuple[int, ...], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        WindowStatus(*arguments)
    assert str(caught.value) == sentence
