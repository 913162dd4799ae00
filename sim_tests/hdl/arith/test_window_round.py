"""Sums in windows to floats, against the model."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.arith.window_round import FromWindow
from tilewright.hdl.numeric import FP32, FxFormat, WindowSum, from_window
from tilewright.sim_tests.hdl.arith.unit_bench import bench
from tilewright.sim_tests.hdl.arith.window_blocks import ROUNDERS


def sums(block: FromWindow, rng: np.random.Generator) -> NDArray[np.int64]:
    """Numbers of all lengths, ties and their neighbours, powers of two, the ends of the window."""
    window, digits = block.window, block.target.fraction_bits + 1
    drawn = rng.integers(window.min, window.max, 150, endpoint=True) >> rng.integers(0, window.width, 150)
    ties = 2 * rng.integers(1 << (digits - 1), 1 << digits, 40) + 1
    ties <<= rng.integers(0, max(window.width - digits - 1, 1), 40)
    powers = np.int64(1) << rng.integers(0, window.width - 1, 20)
    found: NDArray[np.int64] = np.concatenate([ties, ties + 1, ties - 1, powers, powers - 1])
    ends = [0, 1, -1, window.min, window.min + 1, window.max, window.max - 1]
    found = np.concatenate([drawn, found, -found, np.array([end for end in ends if window.min <= end <= window.max])])
    return np.asarray(np.clip(found, window.min, window.max))


def points(block: FromWindow) -> list[int]:
    """Where numbers of the window are normal, subnormal, just below the least, and beyond the largest."""
    fmt, width = block.target, block.window.width
    about = {fmt.emax: width, fmt.emin: width // 2, fmt.last_place: width // 3}
    found = {leading - exponent + step for exponent, leading in about.items() for step in (-1, 0, 2)}
    found |= {width - 2 - fmt.emax, width - 1 - fmt.emax, 0, width // 2, 511, 512, -512, 1 - fmt.last_place}
    return sorted(point for point in found if -512 <= point <= 512)


@pytest.mark.parametrize("label", ROUNDERS)
def test_every_code_is_the_models(label: str) -> None:
    block, rng = ROUNDERS[label], np.random.default_rng(len(label))
    width, late = block.window.width, [0] * block.latency
    totals: list[int] = []
    beside: list[int] = []
    want: list[int] = []
    for point in points(block):
        integers = sums(block, rng)
        flags = rng.integers(0, 8, integers.size)
        flags &= np.where(rng.random(integers.size) < 0.9, 6, 7)  # mostly valid
        invalid = (flags & 1).astype(np.bool_)
        total = WindowSum(integers, (flags & 2) > 0, (flags & 4) > 0, invalid)
        totals += (integers.astype(object) % (1 << width) + flags.astype(object) * (1 << width)).tolist()
        beside += [point] * integers.size
        want += from_window(total, point, block.target, block.overflow).tolist()
    inputs = {"total": totals + late, "point": beside + late}
    got = bench().wiggle(label, inputs)["code"][block.latency :]
    wrong = [row for row in range(len(want)) if got[row] != want[row]]
    assert not wrong, (
        f"{len(wrong)} wrong, first {totals[wrong[0]]:#x} with point {beside[wrong[0]]}: "
        f"{got[wrong[0]]:#x} is not {want[wrong[0]]:#x}"
    )
    assert len(set(got)) > min(50, 1 << block.window.width)


def test_registers_are_not_fewer_than_none() -> None:
    with pytest.raises(ValueError) as caught:
        FromWindow(FxFormat(48), FP32, latency=-1)
    assert str(caught.value) == "latency must be at least 0, got -1; nearest legal value is 0"
