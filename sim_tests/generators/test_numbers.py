"""`tilewright.simulate` on cores of floats: real numbers in, real numbers out, rounded as the formats say."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilewright
from tilewright.generators.config.errors import ConfigError
from tilewright.hdl.numeric import BF16, FxFormat, decode, encode, unpack_window
from tilewright.sim_tests.system.designs import gate_designs

FLOATS = gate_designs()["any_3x4_bf16"].config
WINDOWS = gate_designs()["any_2x3_fx48"].config


def reals(rows: int, cols: int) -> Any:
    return np.random.default_rng(rows * 100 + cols).normal(size=(rows, cols))


def as_bf16(values: Any) -> Any:
    return decode(encode(values, BF16), BF16)


@pytest.mark.parametrize("dataflow", ["ws", "os", "is"])
def test_a_chain_of_float32_sums(dataflow: str) -> None:
    """Products of bf16 are exact in float32 here, so numpy's own float32 makes the same sums in the same order."""
    a, b, bias = reals(5, 9), reals(9, 6), reals(1, 6)
    want = np.broadcast_to(bias.astype(np.float32), (5, 6))
    for k in range(9):
        want = want + as_bf16(a)[:, k : k + 1].astype(np.float32) * as_bf16(b)[k].astype(np.float32)
    done = tilewright.simulate(FLOATS, a, b, bias=bias, dataflow=dataflow)
    assert done.c.dtype == np.float64
    np.testing.assert_array_equal(done.c, want.astype(np.float64))
    np.testing.assert_array_equal(done.codes, want.view(np.uint32))
    assert done.cycles == done.predicted_cycles


def test_arrays_of_ml_dtypes_are_taken() -> None:
    a, b = reals(2, 3).astype(ml_dtypes.bfloat16), reals(3, 2).astype(ml_dtypes.bfloat16)
    done, same = (tilewright.simulate(FLOATS, x, y) for x, y in ((a, b), (a.astype(float), b.astype(float))))
    np.testing.assert_array_equal(done.codes, same.codes)


def test_a_window_is_exact_where_its_place_is_fine_enough() -> None:
    a, b = np.round(reals(4, 7) * 64) / 64, np.round(reals(7, 5) * 64) / 64
    done = tilewright.simulate(WINDOWS, a, b, point=24)
    np.testing.assert_array_equal(done.c, as_bf16(a) @ as_bf16(b))
    total = unpack_window(done.codes, FxFormat(48))
    assert not (total.overflow | total.underflow | total.invalid).any()


def test_what_leaves_a_window_is_flagged() -> None:
    done = tilewright.simulate(WINDOWS, [[1e30, 1.0], [np.inf, 0.0]], [[1.0], [2.0**-30]], point=24)
    total = unpack_window(done.codes, FxFormat(48))
    assert total.overflow.tolist() == [[True], [False]]
    assert total.underflow.tolist() == [[True], [False]]
    assert total.invalid.tolist() == [[False], [True]]
    assert np.isnan(done.c[1, 0])
    assert done.flags == {"invalid": 1, "overflow": 1, "underflow": 1}


def test_a_sum_of_nothing_is_what_it_starts_from() -> None:
    a, b = np.zeros((2, 0)), np.zeros((0, 3))
    np.testing.assert_array_equal(tilewright.simulate(FLOATS, a, b).c, np.zeros((2, 3)))
    np.testing.assert_array_equal(tilewright.simulate(FLOATS, a, b, bias=[0.5, -2, 3]).c, [[0.5, -2, 3]] * 2)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"config": FLOATS, "a": [["x"]]}, "a must hold real numbers, got dtype <U1; convert them to float64 before"),
        ({"config": FLOATS, "point": 3}, "point must be left out for accumulators fp32, got 3; only fx<N> have one"),
        (
            {"config": WINDOWS, "point": 600},
            "point must be a whole number -512..512, got 600; nearest legal value is 512",
        ),
        (
            {"config": WINDOWS, "c": [[1e30]]},
            "c must hold numbers of fx48 with binary point 24, -8388608.0 to 8388607.99999994, got 1e+30; "
            "nearest legal value is 8388607.99999994",
        ),
    ],
)
def test_what_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        tilewright.simulate(**{"a": [[1.0]], "b": [[1.0]], **given})
    assert str(refused.value) == sentence
