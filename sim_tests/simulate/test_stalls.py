"""Stalls: of any kind of number, and never so many that a core could not get on."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import tilewright
from tilewright.sim_tests.harness import InterfaceError
from tilewright.sim_tests.simulate.stalls import LONGEST, MOST, checked_stall
from tilewright.sim_tests.simulate.test_simulate import CORE, ONES

NUMBERS = [0.25, np.float32(0.25), np.array(0.25), Fraction(1, 4), Decimal("0.25")]
NO_NUMBERS = ["0.25", None, True, np.True_, 1j, [0.25], np.array([0.25]), float("nan"), object(), 10**400, -0.5, 1.5]


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_any_kind_of_number(number: Any) -> None:
    assert tilewright.Stall(number) == tilewright.Stall(0.25) == checked_stall(number)
    assert type(tilewright.Stall(0, number).burst_probability) is float


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: repr(value)[:20])
@pytest.mark.parametrize("field", ["probability", "burst_probability"])
def test_what_is_no_probability_is_told(field: str, value: Any) -> None:
    with pytest.raises(tilewright.ConfigError, match=rf"^stall {field} must be 0..1, got [^\n]*; nearest is [01].0$"):
        tilewright.Stall(**{field: value})
    if value is not None:
        with pytest.raises(
            tilewright.ConfigError, match=r"^stall must be a probability 0 <= p < 1, got [^\n]*; nearest"
        ):
            tilewright.simulate(CORE, ONES, ONES, stall=value)


@pytest.mark.parametrize(
    "lengths",
    [5, (1,), (1, 2, 3), (1.5, 2), (0, 2), (5, 4), "ab", None, (1, 2**70), (True, 2), ("1", "2"), {1: 2}, "12"],
)
def test_what_is_no_pair_of_lengths_is_told(lengths: Any) -> None:
    with pytest.raises(
        InterfaceError, match=r"^stall burst_length must be 1 <= shortest <= longest <= 2147483647, got "
    ):
        tilewright.Stall(burst_length=lengths)


def test_lengths_are_integers_of_any_library() -> None:
    lengths: Any = [np.int64(2), np.uint8(3)]
    assert tilewright.Stall(burst_length=lengths) == tilewright.Stall(burst_length=(2, 3))
    assert hash(tilewright.Stall(burst_length=lengths)) == hash(tilewright.Stall(burst_length=(2, 3)))


@pytest.mark.parametrize("value", [2, 0, "yes", None, [True], np.array([True])], ids=repr)
def test_what_is_no_truth_value_is_told(value: Any) -> None:
    with pytest.raises(InterfaceError, match=r"^stall wait_for_valid must be True or False, got .*; nearest is False$"):
        tilewright.Stall(wait_for_valid=value)
    assert tilewright.Stall(wait_for_valid=np.True_).wait_for_valid is True  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1.5, "1", None, True, [1]], ids=repr)
def test_what_is_no_seed_is_told(value: Any) -> None:
    with pytest.raises(InterfaceError, match=r"^stall seed must be a whole number, got .*; nearest is 0$"):
        tilewright.Stall(seed=value)
    assert type(tilewright.Stall(seed=np.int64(3)).seed) is int  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stall", "sentence"),
    [
        (tilewright.Stall(1.0), "stall.probability must be a probability 0 <= p <= 0.9999 in a simulation, got 1.0; "),
        (tilewright.Stall(0, 1), "stall.burst_probability must be a probability 0 <= p <= 0.9999 in a simulation, "),
        (
            tilewright.Stall(0, 0.1, (9, LONGEST + 1)),
            "stall.burst_length must be at most 50000 cycles long in a simulation, got (9, 50001); "
            "nearest legal value is (9, 50000)",
        ),
        (0.99999, "stall must be a probability 0 <= p <= 0.9999 in a simulation, got 0.99999; nearest legal value is "),
    ],
)
def test_a_core_that_could_not_get_on_is_not_simulated(stall: Any, sentence: str) -> None:
    with pytest.raises(tilewright.ConfigError) as refused:
        tilewright.simulate(CORE, ONES, ONES, stall=stall)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    "stall",
    [
        tilewright.Stall(wait_for_valid=True),
        tilewright.Stall(0.3, 0.01, (2, 9), wait_for_valid=True, seed=-(2**80)),
        tilewright.Stall(0, 0.5, (1, 2000)),
        tilewright.Stall(MOST),
    ],
)
def test_whatever_is_allowed_ends_with_the_right_sums(stall: tilewright.Stall) -> None:
    done = tilewright.simulate(CORE, ONES, ONES, stall=stall)
    assert np.array_equal(done.c, ONES @ ONES)
