import numpy as np
import pytest

from tilewright.hdl.structure import Delay, Taps
from tilewright.sim_tests.hdl.datapath_bench import bench
from tilewright.sim_tests.hdl.structure.blocks import STRUCTURES

COUNT = 80


@pytest.mark.parametrize("label", ["delay", "delay_reset", "wire"])
def test_a_word_comes_out_so_many_cycles_later(label: str) -> None:
    block = STRUCTURES[label]()
    words = np.random.default_rng(1).integers(0, 64, COUNT).tolist()
    got = bench().wiggle(label, {"d": words})["q"]
    assert got[block.cycles :] == words[: COUNT - block.cycles]
    if block.reset:
        assert got[: block.cycles] == [0] * block.cycles


@pytest.mark.parametrize("label", ["taps", "tap"])
def test_each_tap_is_one_cycle_behind_the_one_before(label: str) -> None:
    block = STRUCTURES[label]()
    words = np.random.default_rng(2).integers(0, 8, COUNT).tolist()
    got = bench().wiggle(label, {"d": words})["q"]
    for tap in range(block.count):
        seen = [word >> tap * block.width & 7 for word in got]
        assert seen == ([0] * tap + words)[:COUNT]


def test_parameters() -> None:
    with pytest.raises(ValueError, match=r"^delay must be at least 0 cycles, got -1$"):
        Delay(8, -1)
    assert Taps(3, 2).name != Taps(2, 3).name
