"""Integers that a caller gives; their sentences are tested where they are told."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.hdl.numeric.whole import magnitudes, whole_numbers


def test_magnitudes_of_all_of_int64() -> None:
    ends = [-(1 << 63), 1 - (1 << 63), -1, 0, 1, (1 << 63) - 1]
    assert magnitudes(np.array(ends)).tolist() == [abs(end) for end in ends]
    assert magnitudes(np.array(-(1 << 63))).shape == ()


@pytest.mark.parametrize(("value", "nearest"), [(-9, -8), (8, 7), (1 << 63, 7)])
def test_the_nearest_legal_value_is_told(value: int, nearest: int) -> None:
    with pytest.raises(ValueError, match=rf"^it must be -8\.\.7, got {value}; nearest legal value is {nearest}$"):
        whole_numbers("it", [value], -8, 7)


def test_all_integer_types_are_taken_and_nothing_else() -> None:
    for kind in (np.int8, np.uint8, np.int64, np.uint64):
        assert whole_numbers("it", np.array([[3]], dtype=kind), 0, 7).dtype == np.int64
    assert whole_numbers("it", [], 0, 7).shape == (0,)
    for value in (1.0, True, "1", None, 1 << 64):
        with pytest.raises(ValueError, match=r"^it must be integers of at most 64 bits, got an array of "):
            whole_numbers("it", value, 0, 7)  # type: ignore[arg-type]
