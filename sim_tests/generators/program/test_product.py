"""Products that are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.generators.program.product import Finish, Product
from tilewright.generators.program.tensor import Matrix
from tilewright.sim_tests.generators.program.engines import ENGINES, SMALL

A, B, C, BIAS = Matrix(0, 3, 4, 1), Matrix(0, 4, 5, 1), Matrix(0, 3, 5, 4), Matrix(0, 1, 5, 4)
PRODUCT = Product(A, B, C, BIAS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"b": Matrix(0, 3, 5, 1)}, "b has rows 3, must be 4"),
        ({"c": Matrix(0, 4, 5, 4)}, "c has rows 4, must be 3"),
        ({"c": Matrix(0, 3, 4, 4)}, "c has columns 4, must be 5"),
        ({"accumulate": True}, "start has rows 1, must be 3"),
        ({"start": Matrix(0, 1, 4, 4)}, "start has columns 4, must be 5"),
    ],
)
def test_matrices_that_do_not_fit(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^matrices must fit together: {message}$"):
        replace(PRODUCT, **change)  # type: ignore[arg-type]


def test_nothing_to_do() -> None:
    with pytest.raises(ValueError, match=r"^M, N and K must be at least 1, got 3, 5, 0$"):
        Product(Matrix(0, 3, 0, 1), Matrix(0, 0, 5, 1), C)


def test_containers() -> None:
    PRODUCT.check(SMALL)
    with pytest.raises(ValueError, match=r"^c must have values of 1 bytes \(int8\), got 4$"):
        replace(PRODUCT, finish=Finish(1, 0, 0, -128, 127)).check(SMALL)
    with pytest.raises(ValueError, match=r"^a must have values of 2 bytes \(bf16\), got 1$"):
        PRODUCT.check(ENGINES["bf16"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"low": -129}, r"low of a finish to int8 must be -128\.\.127, got -129"),
        ({"high": 128}, r"high of a finish to int8 must be -128\.\.127, got 128"),
        ({"zero_point": 200}, r"zero_point of a finish to int8 must be -128\.\.127, got 200"),
        ({"multiplier": 1 << 31}, r"multiplier of a finish to int8 must be 0\.\.2147483647, got 2147483648"),
        ({"shift": 63}, r"shift of a finish to int8 must be 0\.\.62, got 63"),
    ],
)
def test_finishes_that_no_engine_has(change: dict[str, int], message: str) -> None:
    product = replace(PRODUCT, c=Matrix(0, 3, 5, 1), finish=replace(Finish(1, 0, 0, -128, 127), **change))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"^{message}$"):
        product.check(SMALL)
