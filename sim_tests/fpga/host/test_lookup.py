"""Functions of integer results out of a table, on the RTL."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.addition import Addition
from tilewright.fpga.host.lookup import Lookup
from tilewright.generators.reference.finish import finish_integers, max_pool, residual_sum
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.numeric.requantise import fixed_point
from tilewright.hdl.numeric.tabulate import TABULATED, tabulate
from tilewright.sim_tests.fpga.host.engines import accelerator, refuses

INT8 = IntFormat(8)
SCALE, ZERO = 0.004, -9
RNG = np.random.default_rng(31)
A, B = RNG.integers(-128, 128, (33, 20)), RNG.integers(-128, 128, (20, 13))
Array = NDArray[np.int64]


def _operands(acc: Array, scale: Any = SCALE) -> Array:
    factors = np.array([fixed_point(float(each)) for each in np.broadcast_to(scale, acc.shape[1])])
    return finish_integers(acc, INT8, factors[:, 0], factors[:, 1], ZERO)


@pytest.mark.parametrize("function", TABULATED)
def test_functions_of_all_operands(integers: Accelerator, function: str) -> None:
    """A product with 1 gives every operand."""
    every = np.arange(-128, 128)[:, None]
    table = tabulate(function, INT8, 0.06, ZERO, 0.03, 5)
    end = Lookup(function, 0.06, 0.03, 5)
    found = integers.matmul(every, [[1]], bias=[-ZERO], scale=1.0, zero_point=ZERO, activation=end)
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found[:, 0], table[every[:, 0] & 0xFF])


@pytest.mark.parametrize("function", TABULATED)
def test_a_layer(integers: Accelerator, function: str) -> None:
    bias = RNG.integers(-9999, 9999, 13)
    table = tabulate(function, INT8, 0.05, ZERO, 0.04, -100)
    end = Lookup(function, 0.05, 0.04, -100)
    found = integers.linear(A, B.T, bias, scale=SCALE, zero_point=ZERO, activation=end)
    np.testing.assert_array_equal(found, table[_operands(A @ B + bias) & 0xFF])


def test_channels_zero_points_and_stacks(integers: Accelerator) -> None:
    scales = RNG.uniform(0.001, 0.008, 13)
    table = tabulate("silu", INT8, 0.05, ZERO, 0.02, 0)
    stack = np.stack([A, A[::-1], A // 2])
    end = Lookup("silu", 0.05, 0.02)
    found = integers.matmul(stack, B, b_zero=7, scale=scales, zero_point=ZERO, activation=end)
    wanted = table[_operands(stack.reshape(-1, 20) @ (B - 7), scales) & 0xFF]
    np.testing.assert_array_equal(found, wanted.reshape(3, 33, 13))


def test_what_was_looked_up_is_added_and_pooled(integers: Accelerator) -> None:
    x, weight = RNG.integers(-128, 128, (1, 4, 6, 20)), B.reshape(1, 1, 20, 13)
    y = RNG.integers(-128, 128, (1, 4, 6, 13))
    add = Addition(y, 0.02, 0.02, 0.025)
    f = add.fields(INT8, None)
    table = tabulate("gelu", INT8, 0.05, ZERO, 0.02, ZERO)
    looked_up = table[_operands(x.reshape(-1, 20) @ B) & 0xFF]
    scale, limits = (f["sum_multiplier"], f["sum_shift"]), (f["sum_low"], f["sum_high"])
    left, right = (ZERO, f["left_multiplier"]), (0, f["right_multiplier"])
    full = residual_sum(looked_up, y.reshape(-1, 13), INT8, left, right, scale, 0, limits)
    end = Lookup("gelu", 0.05, 0.02, ZERO)
    found = integers.conv2d(x, weight, scale=SCALE, zero_point=ZERO, activation=end, add=add, pool=True)
    np.testing.assert_array_equal(found[0], max_pool(full.reshape(4, 6, 13), INT8))


def test_any_function(integers: Accelerator) -> None:
    table = RNG.permutation(np.arange(-128, 128))
    for end in (Lookup(table), Lookup(table.tolist()), Lookup(table.astype(np.int8))):
        found = integers.matmul(A, B, scale=SCALE, zero_point=ZERO, activation=end)
        np.testing.assert_array_equal(found, table[_operands(A @ B) & 0xFF])


def test_products_before_and_after_have_none(integers: Accelerator) -> None:
    plain = integers.matmul(A, B, scale=SCALE, zero_point=ZERO)
    integers.matmul(A, B, scale=SCALE, zero_point=ZERO, activation=Lookup("tanh", 0.1, 0.01))
    np.testing.assert_array_equal(integers.matmul(A, B, scale=SCALE, zero_point=ZERO), plain)


def test_what_cannot_be(integers: Accelerator, floats: Accelerator) -> None:
    def call(end: Any, **how: Any) -> Any:
        return lambda: integers.matmul(A, B, **{"scale": 0.01, "activation": end, **how})

    refuses(call(Lookup("silu"), scale=None), "activation Lookup must come with a scale")
    refuses(call("silu"), "activation silu of integers must be a Lookup, which tells its scales")
    refuses(call(Lookup("silo")), "function 'silo' does not exist; nearest is 'silu'")
    refuses(call(Lookup("silu", 0)), "scale must be a number from 2**-64 to 2**64, got 0; nearest legal value is 1.0")
    refuses(call(Lookup("silu", 1.0, float("nan"))), "out_scale must be a number from 2**-64 to 2**64, got nan")
    refuses(call(Lookup("silu", out_zero=128)), "out_zero must be a whole number -128..127, got 128")
    refuses(call(Lookup(np.arange(4))), "or 256 results, got an array of shape (4,)")
    refuses(call(Lookup(np.arange(256))), "function must hold values of int8, -128..127, got 255")
    add = Addition(np.zeros((33, 13)), 1.0, 1.0, 1.0)
    refuses(call(Lookup("silu", out_zero=3), add=add), "out_zero must be zero_point where another tensor is added, 0")
    a: Any = [[1.0]]
    refuses(lambda: floats.matmul(a, a, activation=Lookup("silu")), "activation must be a name for accumulators fp32")
    with accelerator("any_3x5") as engine:
        refuses(
            lambda: engine.matmul([[1]], [[1]], scale=1.0, activation=Lookup("silu")),
            "activation must not be a Lookup on an engine without table",
        )
