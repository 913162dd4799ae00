"""Flags of results that are written are counted, command by command."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from tilewright.hdl.arith.window_tally import FLAGS, WindowTally
from tilewright.sim_tests.hdl.arith.unit_bench import bench
from tilewright.sim_tests.hdl.arith.window_blocks import TALLIES

Writes = Iterable[tuple[int, int, list[int], int]]


def counted(block: WindowTally, writes: Writes) -> dict[str, list[int]]:
    """What each output shows."""
    counts = dict.fromkeys(FLAGS, 0)
    shown: dict[str, list[int]] = {flag: [] for flag in FLAGS}
    for write, written, flags, last in writes:
        for bit, flag in enumerate(FLAGS):
            found = sum(written >> lane & lane_flags >> bit & 1 for lane, lane_flags in enumerate(flags))
            counts[flag] = min(counts[flag] + found * write, (1 << block.count_width) - 1)
            shown[flag].append(counts[flag])
            if last:
                counts[flag] = 0
    return shown


@pytest.mark.parametrize("label", TALLIES)
@pytest.mark.parametrize("ends", [0.002, 0.3])
def test_every_count_in_every_cycle(label: str, ends: float) -> None:
    block, rng, cycles = TALLIES[label], np.random.default_rng(TALLIES[label].lanes), 600
    often = rng.random((cycles, block.lanes, 3)) < np.array([0.02, 0.1, 0.6])
    flags = (often @ np.array([1, 2, 4])).tolist()
    write = (rng.random(cycles) < 0.7).astype(int).tolist()
    last = (rng.random(cycles) < ends).astype(int).tolist()
    written = rng.integers(0, 1 << block.lanes, cycles).tolist()
    inputs = {"write": write, "written": written, "last": last}
    inputs["flags"] = [sum(lane << 3 * index for index, lane in enumerate(row)) for row in flags]
    got = bench().wiggle(label, inputs)
    want = counted(block, zip(write, written, flags, last, strict=True))
    for port, values in want.items():
        assert got[port] == values, port
    if ends < 0.01:  # then short counters have stopped
        assert ((1 << block.count_width) - 1 in want["underflow"]) == (block.count_width < 16)


def test_the_last_write_of_a_command_counts_for_it() -> None:
    inputs = {"write": [1, 1, 1, 0, 0], "written": [7, 5, 1, 0, 0], "last": [0, 1, 0, 1, 0]}
    inputs["flags"] = [0b010_010_010, 0b010_010_001, 0b000_000_010, 0, 0]
    got = bench().wiggle("tally_3", inputs)
    assert got["overflow"] == [3, 4, 1, 1, 0]
    assert got["invalid"] == [0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0,), "lanes must be at least 1, got 0; nearest legal value is 1"),
        ((4, 0), "count_width must be at least 1, got 0; nearest legal value is 1"),
    ],
)
def test_what_is_refused(arguments: tuple[int, ...], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        WindowTally(*arguments)
    assert str(caught.value) == sentence
