"""Dot products of floats: a tree of exact products, each node rounded once, what is absent passed over."""

from __future__ import annotations

import numpy as np
import pytest
from amaranth.hdl import Fragment, Module, Signal
from numpy.typing import NDArray

from tilewright.hdl.arith import float_dot
from tilewright.hdl.numeric import BF16, FloatFormat, float_chain
from tilewright.sim_tests.hdl.arith.float_blocks import MACS
from tilewright.sim_tests.hdl.arith.float_results import results
from tilewright.sim_tests.hdl.numeric import exact
from tilewright.sim_tests.hdl.numeric.compare import assert_codes
from tilewright.sim_tests.hdl.numeric.hard import hard_cases

VECTORS = [label for label, mac in MACS.items() if mac.vector > 1]
STEPS = 96
"""Steps with each mask; operands and start differ from step to step."""


def packed(elements: NDArray[np.int64], fmt: FloatFormat) -> NDArray[np.uint64]:
    """Steps of elements as packed operands of at most 64 bits."""
    places = np.arange(elements.shape[1], dtype=np.uint64) * np.uint64(fmt.width)
    return np.asarray(np.bitwise_or.reduce(elements.astype(np.uint64) << places, axis=1), dtype=np.uint64)


def elements(fmt: FloatFormat, count: int, vector: int, seed: int) -> NDArray[np.int64]:
    """Hard cases, neighbours of a step often each other's negatives or close by, so that nodes cancel."""
    rng = np.random.default_rng([seed, fmt.width])
    found = rng.permutation(hard_cases(fmt.name, count * vector)[seed % 2]).reshape(count, vector)
    near = rng.random(count) < 0.6
    nudge = rng.integers(-1, 2, (count, vector)) ^ rng.choice((0, fmt.sign_bit), (count, vector))
    found[near] = (found[near, :1] ^ nudge[near]) & ((1 << fmt.width) - 1)
    return found


@pytest.mark.parametrize("label", VECTORS)
def test_every_mask(label: str) -> None:
    mac = MACS[label]
    masks = np.repeat(np.arange(1 << mac.vector), STEPS)
    xs, ws = (elements(fmt, masks.size, mac.vector, seed) for seed, fmt in enumerate(mac.formats))
    start = np.random.default_rng(3).permutation(hard_cases(mac.formats[0].name, masks.size)[2])
    begin = np.concatenate([np.zeros(mac.before, dtype=np.int64), start])
    inputs = {"x": packed(xs, mac.formats[0]), "w": packed(ws, mac.formats[1]), "present": masks, "start": begin}
    got = results(label, inputs, {"total": mac.before + mac.stages})["total"][: masks.size]
    for index, mask in enumerate(masks.tolist()):
        present = np.array([bool(mask >> element & 1) for element in range(mac.vector)])
        row, column = xs[index][None], ws[index][:, None]
        want = float_chain(row, column, mac.formats, start[index], vector=mac.vector, present=present)
        if mask:
            assert_codes("fp32", got[index : index + 1], want[0], row, column, start[index])
        else:
            assert got[index] == start[index]


@pytest.mark.parametrize("label", VECTORS)
def test_nodes_round_before_the_chain_does(label: str) -> None:
    """Against exact rationals, not the model: the tree of four is rounded thrice, then the sum."""
    mac = MACS[label]
    count = 800
    xs, ws = (elements(fmt, count, mac.vector, seed + 2) for seed, fmt in enumerate(mac.formats))
    xy = {"x": packed(xs, mac.formats[0]), "w": packed(ws, mac.formats[1])}
    inputs = xy | {"present": np.full(count, (1 << mac.vector) - 1), "start": np.zeros(0, dtype=np.int64)}
    got = results(label, inputs, {"total": mac.before + mac.stages})["total"]
    values = [exact.values(fmt.name, part) for fmt, part in zip(mac.formats, (xs, ws), strict=True)]
    want = [tree(*(part[index].tolist() for part in values)) for index in range(count)]
    assert_codes("fp32", got, want)


def tree(x: list[float], w: list[float]) -> int:
    """The fp32 code of +0 plus the dot product of two or four elements, all present."""
    products = [left * right for left, right in zip(x, w, strict=True)]  # exact in float64
    while len(products) > 1:
        pairs = zip(products[::2], products[1::2], strict=True)
        products = [exact.value("fp32", exact.fused("fp32", left, 1.0, right)) for left, right in pairs]
    return exact.fused("fp32", products[0], 1.0, 0.0)


def test_what_is_no_tree_is_refused() -> None:
    m, operands = Module(), (Signal(48), Signal(48))
    for vector, nearest in ((3, 2), (0, 1), (-1, 1)):
        sentence = rf"^vector must be a power of two, got {vector}; nearest legal value is {nearest}$"
        with pytest.raises(ValueError, match=sentence):
            float_dot(m, *operands, BF16, BF16, vector, 0, Signal(3))
    with pytest.raises(ValueError, match=r"^pipeline must be at least 0 registers, got -1; nearest legal value is 0$"):
        float_dot(m, *operands, BF16, BF16, 1, -1, Signal(1))
    with pytest.raises(ValueError, match=r"^stages must be at least 0, got -1; nearest legal value is 0$"):
        float_dot(m, *operands, BF16, BF16, 2, 0, Signal(2), -1)
    Fragment.get(m, None)  # else Amaranth finds it unused
