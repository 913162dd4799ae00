from math import ceil, log2

import numpy as np
import pytest

from tilewright.sim_tests.hdl.datapath_bench import bench
from tilewright.sim_tests.hdl.memory.blocks import ROTATORS


@pytest.mark.parametrize("label", ROTATORS)
def test_every_amount_one_word_a_cycle(label: str) -> None:
    rotator = ROTATORS[label]
    n, w = rotator.lanes, rotator.width
    assert rotator.latency == ceil(log2(n) / 2)
    rng = np.random.default_rng(n)
    count = 6 * n
    words = rng.integers(0, 1 << w, (count, n))
    amounts = [cycle % n for cycle in range(count - n)] + rng.integers(0, n, n).tolist()
    packed = [sum(int(value) << lane * w for lane, value in enumerate(word)) for word in words]
    tail = [0] * rotator.latency
    got = bench().wiggle(label, {"d": packed + tail, "amount": amounts + tail})["q"]
    for cycle, (word, amount) in enumerate(zip(words, amounts, strict=True)):
        turned = np.roll(word, amount if rotator.left else -amount)
        wanted = sum(int(value) << lane * w for lane, value in enumerate(turned))
        assert got[cycle + rotator.latency] == wanted, f"word {cycle} by {amount}"
