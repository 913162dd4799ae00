"""Elementary functions: their values against many digits, their errors, and sizes of tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.numeric import BF16, FP8_E4M3, FloatFormat, decode, encode
from tilewright.hdl.numeric.functions import ERROR, FUNCTIONS, SHAPES, Elementary, elementary, smallest
from tilewright.hdl.numeric.functions.fit import Problem
from tilewright.hdl.numeric.functions.lines import Strip
from tilewright.hdl.numeric.functions.shape import BINADES, POWERS, Shape
from tilewright.hdl.numeric.functions.target import Target
from tilewright.hdl.numeric.functions.values import quietly
from tilewright.sim_tests.hdl.numeric.function_reference import exact
from tilewright.sim_tests.hdl.numeric.function_shapes import OTHERS

EVERY = np.arange(1 << 16)
NAN, INF = math.nan, math.inf


def operands(name: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Codes and values of all operands that are finite, not 0, and in the domain."""
    x = decode(EVERY, BF16)
    kept = np.isfinite(x) & (x != 0) & ((x > 0) | (name not in ("rsqrt", "sqrt", "log2")))
    return EVERY[kept], x[kept]


def last_places(values: NDArray[np.float64], out: FloatFormat) -> NDArray[np.float64]:
    """Units in the last place of the binades of real ``values``."""
    exponents = np.clip(np.frexp(np.abs(values))[1] - 1, out.emin, out.emax) - out.fraction_bits
    places: NDArray[np.float64] = np.ldexp(np.ones_like(values), exponents)
    return places


def errors(unit: Elementary) -> NDArray[np.float64]:
    """Errors at all ``operands``, in units in the last place; 0 where both overflow."""
    codes, x = operands(unit.function.name)
    real = quietly(unit.function.value, x)
    got = decode(unit.evaluate(codes), unit.out)
    over = 2.0 ** (unit.out.emax + 1)
    got = np.where(np.isinf(got), np.copysign(over, got), got)
    real = np.clip(real, -over, over)
    assert not np.isnan(got).any()
    return np.abs(got - real) / last_places(real, unit.out)


def check_values(name: str, chosen: slice) -> None:
    _, x = operands(name)
    x = x[(np.abs(x) < 256) & (np.abs(x) > 2.0**-20)]
    if name == "gelu":
        x = x[x > -14]  # from there on even many digits are few
    real = quietly(FUNCTIONS[name].value, x)
    places = np.abs(real) / last_places(real, BF16)
    hard = np.abs(places % 1 - 0.5) < 2.0**-9
    picked = np.zeros(len(x), dtype=bool)
    picked[chosen] = True
    for operand, value in zip(x[picked | hard].tolist(), real[picked | hard].tolist(), strict=True):
        digits = exact(name, operand)
        assert abs(Decimal(value) - digits) <= abs(digits) * Decimal(2) ** -44, f"{name} of {operand!r}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_many_digits(name: str) -> None:
    check_values(name, slice(3, None, 24 if name == "gelu" else 5))


@pytest.mark.long
@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_values_are_those_of_many_digits(name: str) -> None:
    check_values(name, slice(None))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_nearest_is_beyond_doubt(name: str) -> None:
    codes, x = operands(name)
    real = quietly(FUNCTIONS[name].value, x)
    kept = (np.abs(real) < BF16.largest) & (np.abs(real) > BF16.smallest_subnormal / 4)
    codes, x, real = codes[kept], x[kept], np.abs(real[kept])
    distance = np.abs(real / last_places(real, BF16) % 1 - 0.5)
    # Subnormal operands whose half has one bit too many: the result is beside a tie, on the side that is known.
    beside = (np.abs(x) < BF16.smallest_normal * 2) & (distance < 2.0**-40)
    assert beside.any() == (name in ("silu", "gelu"))
    assert distance[~beside].min() > 2.0**-22
    assert np.array_equal(real[beside] > np.abs(x[beside] / 2), x[beside] > 0)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_result_is_further_off_than_promised(name: str) -> None:
    worst = errors(elementary(name)).max()
    assert 0.5 <= math.ceil(worst * 100) / 100 <= ERROR == 0.52
    assert worst > 0.5, "tables with room to spare are too large"


def test_results_lie_in_order() -> None:
    codes, x = operands("exp")
    order = np.argsort(x)
    for name in ("exp", "sigmoid", "tanh"):
        results = decode(elementary(name).evaluate(codes[order]), BF16)
        assert np.all(results[1:] >= results[:-1]), name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_nan_becomes_the_one(name: str) -> None:
    codes = EVERY[np.isnan(decode(EVERY, BF16))]
    assert set(elementary(name).evaluate(codes).tolist()) == {BF16.nan_bits}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_table_with_less_of_anything_does_not_do(name: str) -> None:
    shape, problem = SHAPES[name], Problem(FUNCTIONS[name], BF16, ERROR)
    found = shape.solve(problem)
    assert found is not None
    less = [
        Shape(shape.index_bits, shape.point, shape.drop + 1, shape.step_bits),
        Shape(shape.index_bits, shape.point - 1, shape.drop, shape.step_bits),
    ]
    if name not in BINADES:
        less += [Shape(shape.index_bits - 1, shape.point + more, 0, shape.step_bits) for more in range(3)]
    if name in POWERS:
        less.append(Shape(shape.index_bits, shape.point, shape.drop, shape.step_bits - 1))
    for other in (each.solve(problem) for each in less):
        assert other is None or other.bits > found.bits


@pytest.mark.parametrize("name", ["reciprocal", "log2"])
def test_the_search_finds_the_shape_remembered(name: str) -> None:
    assert smallest(Problem(FUNCTIONS[name], BF16, ERROR)) == SHAPES[name]


@pytest.mark.long
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_search_finds_every_shape_remembered(name: str) -> None:
    assert smallest(Problem(FUNCTIONS[name], BF16, ERROR)) == SHAPES[name]


def test_tables_for_correct_rounding() -> None:
    unit = elementary("sqrt", BF16, 0.5)
    assert errors(unit).max() <= 0.5
    assert elementary("sqrt", BF16, 0.5, unit.shape).table == unit.table


@pytest.mark.parametrize("label", OTHERS)
def test_results_of_other_precision(label: str) -> None:
    unit = elementary(*OTHERS[label])
    assert 0.5 < errors(unit).max() <= unit.error
    one = encode(1.0, BF16)
    assert unit.evaluate(0x7FC1) == unit.out.nan_bits and unit.evaluate(one).dtype == unit.out.dtype


def test_the_search_finds_tables_of_other_precision() -> None:
    name, out, error, shape = OTHERS["tanh_fp8_e5m2"]
    assert smallest(Problem(FUNCTIONS[name], out, error)) == shape


def test_shapes_stay() -> None:
    codes = EVERY[:24].reshape(2, 3, 4)
    assert np.array_equal(elementary("exp").evaluate(codes), elementary("exp").evaluate(codes.ravel()).reshape(2, 3, 4))
    assert elementary("exp").evaluate(0).shape == () and elementary("exp").evaluate([]).shape == (0,)


def test_a_line_goes_through_all_intervals_or_is_none() -> None:
    rng = np.random.default_rng(4)
    constants, slopes = (part.ravel() for part in np.meshgrid(np.arange(128), np.arange(-64, 65), indexing="ij"))
    found = 0
    for _ in range(200):
        offsets, drop = rng.integers(0, 6, 5), int(rng.integers(0, 4))
        middle = 40 + int(rng.integers(-6, 6)) * offsets + rng.integers(-3, 4, 5)
        low, high = middle - rng.integers(0, 6, 5), middle + rng.integers(0, 6, 5)
        line = Strip.of(offsets, low, high).line(drop)
        values = (constants[:, None] << drop) + slopes[:, None] * offsets
        possible = np.all((values >= low) & (values <= high), axis=1)
        if line is None:
            assert not possible.any()
        else:
            assert possible[(constants == line[0]) & (slopes == line[1])].all()
            assert abs(line[1]) == np.abs(slopes[possible]).min()
            found += 1
    assert 40 < found < 160


def test_targets_are_the_rounding_intervals() -> None:
    values = np.array([1.0, 1.0 + 2.0**-8, 1.0 + 2.0**-8 - 2.0**-12, 2.0**-134, 2.0**130])
    exactly, wider = Target.of(values, BF16, 0.5), Target.of(values, BF16, 0.51)
    ulp = 2.0**-7
    assert exactly.low[:3].tolist() == [1 - ulp / 4, 1 - ulp / 4, 1 - ulp / 4]
    assert exactly.high[:3].tolist() == [1 + ulp / 2, 1 + 3 * ulp / 2, 1 + ulp / 2], "both sides of a tie will do"
    assert wider.high[:3].tolist() == [1 + ulp / 2, 1 + 3 * ulp / 2, 1 + ulp / 2]
    assert Target.of(values[2:3], BF16, 0.54).high.tolist() == [1 + 3 * ulp / 2]
    assert exactly.low[3] == -INF and exactly.high[4] == INF
    assert exactly.with_low.tolist()[:2] == [True, True] and exactly.with_high.tolist()[:3] == [True, False, True]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: elementary("cos"), "function must be one of exp, reciprocal, rsqrt, sqrt, log2, "),
        (lambda: elementary("exp", FP8_E4M3), "result of an elementary function must be of a format with infinities, "),
        (lambda: elementary("exp", BF16, 0.49), "error must be at least 0.5 units in the last place, got 0.49; "),
        (lambda: elementary("exp", BF16, NAN), "error must be at least 0.5 units in the last place, got nan; "),
        (lambda: elementary("tanh", BF16, 0.52, Shape(7, 10, 6)), "shape must be one whose table meets 0.52 units in "),
        (lambda: elementary("exp", shape=Shape(12, 18, 5, 12)), "index_bits of exp must be 1..11, got 12; nearest "),
        (lambda: elementary("sqrt", shape=Shape(9, 12, 0)), "index_bits of sqrt must be 1..8, got 9; nearest legal "),
        (lambda: elementary("log2", shape=Shape(0, 12, 0)), "index_bits of log2 must be 1..7, got 0; nearest legal "),
        (lambda: elementary("gelu", shape=Shape(7, 8, 0)), "point of gelu must be 9..32, got 8; nearest legal value "),
        (lambda: elementary("exp", shape=Shape(5, 18, 19, 12)), "drop of exp must be 0..18, got 19; nearest legal "),
        (lambda: elementary("tanh", shape=Shape(7, 13, 1, 2)), "step_bits of tanh must be 0..0, got 2; nearest "),
        (lambda: elementary("silu", shape=Shape(3, 19, 6, 1)), "step_bits of silu must be 2..24, got 1; nearest "),
        (lambda: elementary("exp").evaluate(1 << 16), "codes of bf16 must be 0..65535, got 65536; nearest "),
        (lambda: elementary("exp").evaluate([0.5]), "codes of bf16 must be integers of at most 64 bits, got an array "),
    ],
)
def test_what_is_not_legal_is_refused(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        make()
    assert str(caught.value).startswith(sentence)
