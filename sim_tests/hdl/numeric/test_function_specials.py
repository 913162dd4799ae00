"""Elementary functions of what is special: infinities, zeros, the ends of the range."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tilewright.hdl.numeric import BF16, encode
from tilewright.hdl.numeric.functions import elementary
from tilewright.sim_tests.hdl.numeric.compare import assert_codes

NAN, INF = math.nan, math.inf

AS_A_RECTIFIER = [
    (INF, INF),
    (-INF, -0.0),
    (0.0, 0.0),
    (-0.0, -0.0),
    (2.0**99, 2.0**99),
    (-3e38, -0.0),
    (2.0**-133, 2.0**-133),
]


@pytest.mark.parametrize(
    ("name", "results"),
    [
        (
            "exp",
            [(INF, INF), (-INF, 0.0), (0.0, 1.0), (200.0, INF), (-200.0, 0.0), (3e38, INF), (-3e38, 0.0), (1e-40, 1.0)],
        ),
        (
            "reciprocal",
            [(INF, 0.0), (-INF, -0.0), (0.0, INF), (-0.0, -INF), (1.0, 1.0), (-2.0, -0.5), (2.0**-133, INF)],
        ),
        ("reciprocal", [(2.0**127, 2.0**-127), (-(2.0**-126), -(2.0**126)), (2.0**-129, INF), (-(2.0**-129), -INF)]),
        (
            "rsqrt",
            [
                (INF, 0.0),
                (-INF, NAN),
                (0.0, INF),
                (-0.0, -INF),
                (-1.0, NAN),
                (4.0, 0.5),
                (2.0**-132, 2.0**66),
                (-1e-40, NAN),
            ],
        ),
        (
            "sqrt",
            [
                (INF, INF),
                (-INF, NAN),
                (0.0, 0.0),
                (-0.0, -0.0),
                (-1.0, NAN),
                (9.0, 3.0),
                (2.0**-132, 2.0**-66),
                (-1e-40, NAN),
            ],
        ),
        (
            "log2",
            [
                (INF, INF),
                (-INF, NAN),
                (0.0, -INF),
                (-0.0, -INF),
                (-1.0, NAN),
                (1.0, 0.0),
                (8.0, 3.0),
                (2.0**-133, -133.0),
            ],
        ),
        (
            "sigmoid",
            [(INF, 1.0), (-INF, 0.0), (0.0, 0.5), (-0.0, 0.5), (100.0, 1.0), (-3e38, 0.0), (1e-40, 0.5), (-1e-40, 0.5)],
        ),
        (
            "tanh",
            [(INF, 1.0), (-INF, -1.0), (0.0, 0.0), (-0.0, -0.0), (9.0, 1.0), (-3e38, -1.0), (2.0**-133, 2.0**-133)],
        ),
        ("silu", AS_A_RECTIFIER),
        ("silu", [(-(2.0**-133), -0.0), (2.0**-132, 2.0**-133), (2.0**-9, 2.0**-10), (-3 * 2.0**-133, -(2.0**-133))]),
        ("gelu", AS_A_RECTIFIER),
        (
            "gelu",
            [(-(2.0**-133), -0.0), (2.0**-132, 2.0**-133), (2.0**-126, 2.0**-127), (-3 * 2.0**-133, -(2.0**-133))],
        ),
    ],
)
def test_special_results(name: str, results: list[tuple[float, float]]) -> None:
    given, wanted = (encode(np.array(values), BF16) for values in zip(*results, strict=True))
    assert_codes("bf16", elementary(name).evaluate(given), wanted, given)
