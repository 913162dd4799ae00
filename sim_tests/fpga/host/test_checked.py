from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.checked import left_out, one_of, plain, positive, whole
from tilewright.sim_tests.fpga.host.engines import refuses


@pytest.mark.parametrize("value", [5, np.int8(5), np.uint64(5), np.array(5)])
def test_whole_numbers_of_any_library(value: Any) -> None:
    assert whole("n", value, 0, 5) == 5
    assert type(whole("n", value, 0, 5)) is int


@pytest.mark.parametrize(
    ("value", "nearest"),
    [(6, 5), (-9, -2), (1.0, 1), (np.float32(2.5), 2), (float("nan"), 0), (float("inf"), 5), (True, 0), ("3", 0),
     (None, 0), ([1], 0), (np.array([1, 2]), 0), (object(), 0), (np.array(7), 5), (1j, 0)],
)  # fmt: skip
def test_all_else_is_refused_with_the_nearest(value: Any, nearest: int) -> None:
    refuses(lambda: whole("n", value, -2, 5), f"; nearest legal value is {nearest}")
    refuses(lambda: whole("n", value, -2, 5), "n must be a whole number -2..5, got ")


def test_what_must_be_left_out() -> None:
    zeros: list[Any] = [0, np.int8(0), np.array(0)]
    for value in zeros:
        left_out("n", value, 0, "here")
    left_out("n", None, None, "here")
    others: list[Any] = [1, "0", np.array([0]), np.array([0, 0]), [[1], [2, 3]], None, ""]
    for value in others:
        refuses(lambda value=value: left_out("n", value, 0, "here"), "n must be left out here, got ")  # type: ignore[misc]


def test_names() -> None:
    assert one_of("letter", "a", ("a", "b")) == "a"
    names: list[Any] = ["c", None, 3, ["a"]]
    for name in names:
        refuses(lambda name=name: one_of("letter", name, ("a", "b")), "does not exist; nearest is ")  # type: ignore[misc]


def test_numbers_in_arrays() -> None:
    assert plain(np.array(3)) == 3
    assert plain("x") == "x"


def test_positive_numbers() -> None:
    fine: list[Any] = [1, 0.5, np.float32(2), np.array(3), np.int8(4)]
    assert [positive("n", value) for value in fine] == [1.0, 0.5, 2.0, 3.0, 4.0]
    others: list[Any] = [0, -1, float("nan"), float("inf"), 10**400, None, "1", True, np.ones(2)]
    for value in others:
        refuses(lambda value=value: positive("n", value), "n must be a finite number above 0, got ")  # type: ignore[misc]
