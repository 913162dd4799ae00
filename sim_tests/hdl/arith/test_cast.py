"""Conversions between float formats: every code of 8 and 16 bits, and fp32 where it goes wrong."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.arith.cast import FloatCast
from tilewright.hdl.arith.cast_integer import FloatToInteger
from tilewright.hdl.numeric import BF16, FLOAT_FORMATS, FP16, FP32, FloatFormat, convert, encode, to_integer
from tilewright.sim_tests.hdl.arith.float_blocks import CASTS, INTEGERS
from tilewright.sim_tests.hdl.arith.float_results import results
from tilewright.sim_tests.hdl.numeric import exact
from tilewright.sim_tests.hdl.numeric.compare import assert_codes
from tilewright.sim_tests.hdl.numeric.published import published


def codes_of(fmt: FloatFormat) -> NDArray[np.int64]:
    """All of them; of fp32 those at and beside every tie of an fp8, at ties of others, at the ends of integers, and
    any."""
    if fmt.width <= 16:
        return np.arange(1 << fmt.width)
    rng = np.random.default_rng(11)
    ties = []
    for narrow in FLOAT_FORMATS.values():
        if narrow.width <= 16:
            table = exact.table(narrow.name)[: narrow.largest_bits + 1]
            step = 1 if narrow.width == 8 else 53
            ties.append(np.concatenate([(table[:-1] + table[1:])[::step] / 2, table[::step], table[-3:]]))
    ends = [scale * 2.0**width for width in range(66) for scale in (0.25, 0.5, 1, 1.5)]
    near = encode(np.concatenate([*ties, ends]).astype(np.float32), FP32).astype(np.int64)
    around = np.concatenate([near + step for step in (-1, 0, 1)])
    edges = np.array([0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF])
    positive = np.concatenate([around[around >= 0], edges])
    return np.concatenate([positive, positive | 1 << 31, rng.integers(0, 1 << 32, 20_000)])


@pytest.mark.parametrize("source", CASTS, ids=str)
def test_every_code_to_every_format(source: FloatFormat) -> None:
    group, codes = CASTS[source], codes_of(source)
    assert len(group.units) == 2 * len(FLOAT_FORMATS) + len(INTEGERS)
    latencies = {label: unit.latency for label, unit in group.units.items()}
    for label, got in results(group.name, {"code": codes}, latencies).items():
        unit = group.units[label]
        if isinstance(unit, FloatCast):
            assert_codes(unit.target.name, got, convert(codes, source, unit.target, unit.overflow), codes)
        else:
            assert isinstance(unit, FloatToInteger)
            want = to_integer(codes, source, unit.target).astype(np.uint64) & np.uint64((1 << unit.target.width) - 1)
            wrong = np.flatnonzero(got != want)
            assert wrong.size == 0, f"{label}: {codes[wrong[0]]:#x} is {got[wrong[0]]:#x}, not {want[wrong[0]]:#x}"


@pytest.mark.parametrize(("name", "target"), [("f32_to_bf16", BF16), ("f32_to_f16", FP16)])
def test_published_vectors(name: str, target: FloatFormat) -> None:
    given, wanted = published(name)
    assert wanted.size == 5_000
    label = f"{target}_ieee"
    latency = CASTS[FP32].units[label].latency
    got = results(CASTS[FP32].name, {"code": given}, {label: latency})[label]
    assert_codes(target.name, got, wanted, given)
