import itertools

import numpy as np
import pytest

from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.hdl.arith.blocks import DOTS
from tilewright.sim_tests.hdl.datapath_bench import bench


def packed(elements: tuple[int, ...], fmt: IntFormat) -> int:
    return sum((value % (1 << fmt.width)) << index * fmt.width for index, value in enumerate(elements))


def operands(fmt: IntFormat, vector: int, count: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """All vectors where they are few, else all-extreme ones and random ones, half of their elements extreme."""
    if fmt.width * vector <= 5:
        return list(itertools.product(range(fmt.min, fmt.max + 1), repeat=vector))
    found = [(fmt.min,) * vector, (fmt.max,) * vector, (0,) * vector]
    for _ in range(count - 3):
        values = rng.integers(fmt.min, fmt.max + 1, vector)
        extreme = rng.choice([fmt.min, fmt.max], vector)
        found.append(tuple(int(v) for v in np.where(rng.random(vector) < 0.5, values, extreme)))
    return found


@pytest.mark.parametrize("label", DOTS)
def test_exact_and_so_many_cycles_later(label: str) -> None:
    block, rng = DOTS[label], np.random.default_rng(5)
    xs, ws = (operands(fmt, block.vector, 32, rng) for fmt in (block.x_format, block.w_format))
    pairs = list(itertools.product(xs, ws))
    late = 1 + block.pipeline
    got = bench().wiggle(
        label,
        {
            "x": [packed(x, block.x_format) for x, _ in pairs] + [0] * late,
            "w": [packed(w, block.w_format) for _, w in pairs] + [0] * late,
        },
    )["result"]
    for (x, w), result in zip(pairs, got[late:], strict=True):
        exact = sum(a * b for a, b in zip(x, w, strict=True))
        assert result == exact % (1 << block.width), f"{x} . {w}"
        assert -(1 << block.width - 1) <= exact < 1 << block.width - 1


@pytest.mark.parametrize("label", [label for label, block in DOTS.items() if block.vector == 1])
def test_every_product_of_short_operands(label: str) -> None:
    block = DOTS[label]
    xs, ws = (range(fmt.min, fmt.max + 1) for fmt in (block.x_format, block.w_format))
    pairs = list(itertools.product(xs, ws))
    got = bench().wiggle(label, {"x": [x for x, _ in pairs] + [0] * 4, "w": [w for _, w in pairs] + [0] * 4})["result"]
    results = got[1 + block.pipeline :][: len(pairs)]
    assert results == [x * w % (1 << block.width) for x, w in pairs]
