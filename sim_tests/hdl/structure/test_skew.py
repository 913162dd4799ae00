import numpy as np
import pytest

from tilewright.hdl.structure import Skew
from tilewright.sim_tests.hdl.datapath_bench import bench
from tilewright.sim_tests.hdl.structure.blocks import STRUCTURES, simulate

SKEWS = ["skew", "skew_reset", "deskew", "deskew_reset", "skew_one", "skew_rams", "deskew_rams"]
COUNT = 60


@pytest.mark.parametrize("label", SKEWS)
def test_lane_i_waits_i_cycles_or_the_rest(label: str) -> None:
    block = STRUCTURES[label]()
    words = np.random.default_rng(1).integers(0, 1 << block.count * block.width, COUNT).tolist()
    got, mask = bench().wiggle(label, {"d": words})["q"], (1 << block.width) - 1
    for lane in range(block.count):
        wait = (block.count - 1 - lane if label.startswith("deskew") else lane) * block.step
        assert block.depth(lane) == wait
        sent, seen = ([word >> lane * block.width & mask for word in line] for line in (words, got))
        assert seen[wait:] == sent[: COUNT - wait]
        if isinstance(block, Skew) and block.reset:
            assert seen[:wait] == [0] * wait


@pytest.mark.parametrize("label", SKEWS)
def test_amaranth_says_the_same_as_the_written_verilog(label: str) -> None:
    block = STRUCTURES[label]()
    words = np.random.default_rng(2).integers(0, 1 << block.count * block.width, COUNT).tolist()
    written, simulated = bench().wiggle(label, {"d": words})["q"], simulate(block, {"d": words})["q"]
    longest = block.step * block.count
    assert written[longest:] == simulated[longest:]


def test_skew_and_deskew_together_are_a_delay() -> None:
    words = np.random.default_rng(3).integers(0, 1 << 15, COUNT).tolist()
    skewed = bench().wiggle("skew", {"d": words})["q"]
    assert bench().wiggle("deskew", {"d": skewed})["q"][8:] == words[4 : COUNT - 4]
