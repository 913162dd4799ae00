"""The product of codes in every arithmetic, against an oracle that shares nothing with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.reference.gemm import gemm
from tilewright.generators.reference.product import product
from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.system.data import random_matrix
from tilewright.sim_tests.system.float_oracle import float_product, window_product

POINT = 20


@pytest.mark.parametrize("fields", [{"acc": "int24", "max_k": 64}, {"acc": "int17", "overflow": "saturate"}])
def test_integers(fields: dict[str, Any]) -> None:
    config, rng = systolic_config(fields), np.random.default_rng(1)
    a, b, start = (
        random_matrix(rng, f, *shape) for f, shape in ((config.a, (3, 9)), (config.b, (9, 4)), (config.acc, (3, 4)))
    )
    assert isinstance(config.acc, IntFormat)
    want = gemm(a, b, start, config.acc, saturating=config.saturates, vector=config.vector)
    np.testing.assert_array_equal(product(config, a, b, start), want)


@pytest.mark.parametrize("vector", [1, 4])
@pytest.mark.parametrize("acc", ["fp32", "fx40"])
@pytest.mark.parametrize("formats", [("bf16", "bf16"), ("fp16", "fp8_e4m3"), ("fp8_e5m2", "fp8_e5m2")])
def test_floats(formats: tuple[str, str], acc: str, vector: int) -> None:
    config = systolic_config({"a": formats[0], "b": formats[1], "acc": acc, "vector": vector})
    rng = np.random.default_rng(vector)
    for _ in range(40):
        m, n, k = rng.integers(1, 12, 3)
        a, b, start = (
            random_matrix(rng, fmt, rows, cols)
            for fmt, rows, cols in ((config.a, m, k), (config.b, k, n), (config.acc, m, n))
        )
        if acc == "fp32":
            want = float_product(formats, a, b, start, vector)
        else:
            want = window_product(formats, a, b, start, 40, POINT, vector)
        np.testing.assert_array_equal(product(config, a, b, start, POINT), want)
