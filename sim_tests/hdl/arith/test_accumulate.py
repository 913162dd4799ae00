import itertools

import numpy as np
import pytest

from tilewright.sim_tests.hdl.arith.blocks import ACCUMULATORS, Accumulate
from tilewright.sim_tests.hdl.datapath_bench import bench


def signed(width: int) -> range:
    return range(-(1 << width - 1), 1 << width - 1)


def wanted(block: Accumulate, start: int, term: int) -> int:
    total, low, high = start + term, -(1 << block.width - 1), (1 << block.width - 1) - 1
    if block.overflow == "saturate":
        total = min(max(total, low), high)
    return total % (1 << block.width)


@pytest.mark.parametrize("label", ACCUMULATORS)
def test_every_sum_or_the_edges_and_many_between(label: str) -> None:
    block = ACCUMULATORS[label]
    if block.width <= 8:
        pairs = list(itertools.product(signed(block.width), signed(block.term_width)))
    else:
        rng = np.random.default_rng(1)
        near = [
            limit + delta
            for limit in (signed(block.width)[0], 0, signed(block.width)[-1])
            for delta in (-2, -1, 0, 1, 2)
        ]
        terms = [0, 1, -1, signed(block.term_width)[0], signed(block.term_width)[-1]]
        terms += [int(rng.integers(signed(block.term_width)[0], signed(block.term_width)[-1])) for _ in range(60)]
        pairs = [(start, term) for start in near if start in signed(block.width) for term in terms]
    got = bench().wiggle(label, {"start": [s for s, _ in pairs], "term": [t for _, t in pairs]})["total"]
    for (start, term), total in zip(pairs, got, strict=True):
        assert total == wanted(block, start, term), f"{start} + {term}"
