"""Tables of functions against the standard library's, all entries of many scales, and beside ties."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal, getcontext, localcontext

import numpy as np
import pytest

from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.numeric.tabulate import TABULATED, tabulate

INT8, UINT8 = IntFormat(8), IntFormat(8, False)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


FLOATS: Mapping[str, Callable[[float], float]] = {
    "sigmoid": _sigmoid,
    "tanh": math.tanh,
    "silu": lambda x: x * _sigmoid(x),
    "gelu": lambda x: x * math.erfc(-x / math.sqrt(2)) / 2,
}
NEAR = 1e-9
"""Of the middle of two results: there float64 does not tell on which side a value lies."""

CASES = [
    (INT8, 0.05, 3, 0.02, -7),
    (INT8, 1 / 16, 0, 1 / 16, 0),
    (INT8, 0.0471, -128, 0.0039, -128),
    (INT8, 0.9, 127, 0.8, 1),
    (INT8, 1e-6, 0, 1e-8, 0),
    (INT8, 2.0**20, 0, 2.0**20, 0),
    (UINT8, 0.031, 120, 1 / 255, 0),
    (UINT8, 0.25, 255, 0.1, 255),
    (IntFormat(5), 0.3, -2, 0.05, 4),
    (IntFormat(2, False), 1.0, 1, 0.4, 1),
]


def test_these_are_all() -> None:
    assert FLOATS.keys() == TABULATED.keys()


@pytest.mark.parametrize("function", FLOATS)
@pytest.mark.parametrize("case", CASES)
def test_every_entry_is_nearest(function: str, case: tuple[IntFormat, float, int, float, int]) -> None:
    fmt, scale, zero, out_scale, out_zero = case
    table = tabulate(function, fmt, scale, zero, out_scale, out_zero)
    assert table.shape == (1 << fmt.width,)
    told = 0
    for bits, entry in enumerate(table):
        operand = bits - (1 << fmt.width) if fmt.signed and bits >> (fmt.width - 1) else bits
        exact = FLOATS[function]((operand - zero) * scale) / out_scale
        if exact != 0 and abs(exact % 1 - 0.5) < NEAR and abs(exact) < 1e6:
            continue
        told += 1
        assert entry == min(max(out_zero + round(exact), fmt.min), fmt.max), (operand, exact)
    assert told >= len(table) - 1


def test_ties_go_to_the_even_one() -> None:
    """sigmoid(0) is 1/2, and scaled by 1, 1/3 and 1/5 the middle of two integers."""
    assert tabulate("sigmoid", INT8, 0.1)[0] == 0
    assert tabulate("sigmoid", INT8, 0.1, 0, 1 / 8, 1)[0] == 5
    assert [tabulate("sigmoid", INT8, 0.1, 0, 1.0, zero)[0] for zero in (1, 2)] == [1, 2]


def test_the_context_of_the_caller_makes_no_difference() -> None:
    plain = {function: tabulate(function, INT8, 0.05, 3, 0.02, -7) for function in FLOATS}
    with localcontext() as context:
        context.prec = 1
        context.rounding = "ROUND_UP"
        for function, table in plain.items():
            np.testing.assert_array_equal(tabulate(function, INT8, 0.05, 3, 0.02, -7), table)
    assert getcontext().prec == 28


def test_values_to_forty_digits() -> None:
    """Against values out of tables."""
    for function, x, value in (
        ("sigmoid", "1", "0.7310585786300048792511592418218362743651"),
        ("tanh", "0.5", "0.4621171572600097585023184836436725487302"),
        ("gelu", "1", "0.8413447460685429485852325456320379224779"),
        ("gelu", "-1", "-0.1586552539314570514147674543679620775221"),
        ("silu", "-1", "-0.2689414213699951207488407581781637256349"),
    ):
        with localcontext() as context:
            context.prec = 50
            assert abs(TABULATED[function](Decimal(x)) - Decimal(value)) < Decimal("1e-39"), function


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("cosine", INT8, 1.0), "function must be one of sigmoid, tanh, silu, gelu, got 'cosine'"),
        (("tanh", IntFormat(9), 1.0), "a table must be of at most 8 bits, got int9; nearest is 8 bits"),
        (("tanh", INT8, 0.0), "scale must be a number above 0, got 0.0"),
        (("tanh", INT8, math.nan), "scale must be a number above 0, got nan"),
        (("tanh", INT8, 1.0, 0, -1.0), "out_scale must be a number above 0, got -1.0"),
        (("tanh", INT8, 1.0, 0, math.inf), "out_scale must be a number above 0, got inf"),
    ],
)
def test_what_is_refused(arguments: tuple[object, ...], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        tabulate(*arguments)  # type: ignore[arg-type]
    assert str(caught.value) == sentence
