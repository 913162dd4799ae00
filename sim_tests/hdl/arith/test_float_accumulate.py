"""Multiply-accumulate of floats, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.hdl.numeric import FP32, fused_multiply_add
from tilewright.sim_tests.hdl.arith.float_blocks import MACS, bench
from tilewright.sim_tests.hdl.numeric.compare import assert_codes
from tilewright.sim_tests.hdl.numeric.hard import hard_cases

SINGLE = [label for label, mac in MACS.items() if mac.vector == 1]


@pytest.mark.parametrize("label", SINGLE)
def test_hard_cases(label: str) -> None:
    mac = MACS[label]
    (a, _, c), (_, b, other) = (hard_cases(fmt.name, 20_000) for fmt in (mac.x_format, mac.w_format))
    c[::2] = other[::2]
    present = np.arange(a.size) % 16 != 5
    late = mac.pipeline + mac.stages
    inputs = {"x": a.tolist(), "w": b.tolist(), "present": present.tolist(), "start": [0] * mac.pipeline + c.tolist()}
    got = bench().wiggle(label, {port: values + [0] * late for port, values in inputs.items()})["total"]
    have = np.array(got[late : late + a.size])
    assert_codes("fp32", have[present], fused_multiply_add(a, b, c, (mac.x_format, mac.w_format, FP32))[present], a, b)
    assert np.array_equal(have[~present], c[~present])
